import LatchkeyModel

/// A phone with the ntfy app, or anything else that subscribes to a topic of an ntfy server.
///
/// Spec: Protocol/14-bridge.md §2.
public struct NtfyReceiver: BridgeKind {
  public static let kind = ReceiverKind.ntfy
  /// The time without a byte after which the stream is opened again, in seconds.
  ///
  /// A server sends something every 45 seconds, or as often as its operator has set.
  private static let silence: Int64 = 180

  private let settings: NtfySettings

  public init(_ settings: BridgeSettings) throws(BridgeFault) { self.settings = try NtfySettings(settings) }

  public func run(_ bridge: Bridge) async throws {
    let client = WebClient(silence: Self.silence)
    let teller = NtfyTeller(settings, bridge, client)
    let presses = NtfyPresses(settings, bridge, client, teller)
    let reading = settings.mayAnswer ? Task { await presses.run() } : nil
    var fault: (any Error)?
    do { try await bridge.follow { try await teller.look() } } catch { fault = error }
    reading?.cancel()
    await client.close()
    if let fault { throw fault }
  }
}
