import LatchkeyModel
import LatchkeyNode

/// Follows a pairing at the node, and continues after a restart of the node.
struct PairingWatch: Sendable {
  let node: any NodeInterface
  let events: PairingEvents
  /// The time to wait for a node that stopped.
  let patience: Duration
  let pause: @Sendable (Duration) async throws -> Void

  private static let step = Duration.milliseconds(500)

  /// Sends each change until the pairing ends or the node cannot be reached.
  func run(_ first: PairingProgress) async {
    var change = first.change
    var waited = Duration.zero
    while !Task.isCancelled {
      do {
        let progress = try await node.ask(Endpoints.waitForPairing, (first.pairingID, change))
        guard !Task.isCancelled else { return }
        waited = .zero
        change = progress.change
        events.send(.progressed(progress))
        if progress.phase == .ended { return }
      } catch {
        guard !Task.isCancelled else { return }
        guard error.code == .timeout, waited < patience else { return events.send(.failed(error)) }
        if waited == .zero { events.send(.nodeLost) }
        waited += Self.step
        // A node that was started again counts its changes from the beginning.
        change = 0
        do { try await pause(Self.step) } catch { return }
      }
    }
  }
}
