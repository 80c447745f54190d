import LatchkeyModel

/// A kind of receiver: what it needs to know, and how it carries notices.
///
/// Each kind is a folder of this module and a line of `all`.
public protocol BridgeKind: Sendable {
  static var kind: ReceiverKind { get }

  /// Reads the settings that `latchkey receivers add` has written.
  init(_ settings: BridgeSettings) throws(BridgeFault)

  /// Carries notices, and answers, until it is cancelled; connects again by itself, with growing
  /// pauses.
  ///
  /// Throws `LocalAPIError` if the node does not know the receiver any more.
  func run(_ bridge: Bridge) async throws
}

/// The kinds of receiver.
public enum BridgeKinds {
  /// Each kind, in the order of `ReceiverKind`.
  public static let all: [any BridgeKind.Type] = [NtfyReceiver.self, WebhookReceiver.self, MQTTBridge.self]

  /// Carries the notices of a receiver.
  public static func run(_ settings: BridgeSettings, _ bridge: Bridge) async throws {
    guard let kind = all.first(where: { $0.kind == settings.kind }) else {
      throw BridgeFault("This Latchkey has no bridge for \(settings.kind.rawValue): update it.")
    }
    try await kind.init(settings).run(bridge)
  }
}
