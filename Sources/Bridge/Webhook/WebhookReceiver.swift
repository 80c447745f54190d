import LatchkeyModel

/// A program that is called by HTTP with each notice.
///
/// Spec: Protocol/14-bridge.md §3.
public struct WebhookReceiver: BridgeKind {
  public static let kind = ReceiverKind.webhook

  private let settings: WebhookSettings

  public init(_ settings: BridgeSettings) throws(BridgeFault) { self.settings = try WebhookSettings(settings) }

  public func run(_ bridge: Bridge) async throws {
    let caller = WebhookCaller(settings: settings)
    let teller = WebhookTeller(settings, bridge) { await caller.send($0) }
    try await bridge.follow { try await teller.look() }
  }
}
