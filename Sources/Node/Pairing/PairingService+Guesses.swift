import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Logging

/// What wrong guesses cost. Spec: Protocol/03-pairing.md §7.
extension PairingService {
  /// A wrong guess, as inviter: counted before anything is answered.
  func countFailure(_ id: String) async {
    if let host = pairings[id]?.connection?.remoteHost { throttle.failed(host, now: context.now()) }
    var failures = Limits.pairingFailures
    await tryStore(id) { () async throws(StoreError) in failures = try await self.context.store.countFailure(id) }
    pairings[id]?.record?.failures = failures
    change(id) { $0.failuresLeft = max(0, Limits.pairingFailures - failures) }
    context.logger.warning("a wrong pairing code was tried", metadata: ["failures": "\(failures)"])
    if failures >= Limits.pairingFailures { await close(id, .wrongCode) }
  }

  /// A run of a typed code, as joiner: whoever answered can test one guess with the next frame.
  func countRun(_ id: String) async {
    guard let discriminator = pairings[id]?.discriminator else { return }
    await tryStore(id) { () async throws(StoreError) in
      _ = try await self.context.store.countRun(
        discriminator: discriminator, bootID: self.context.bootID, now: self.context.now())
    }
  }

  /// Whether a joiner may try this code again: a typed one is good for five runs that nobody answered as its inviter.
  func mayRun(_ code: PairingCredential) async -> Bool {
    guard case .typed(let typed) = code else { return true }
    let runs = try? await context.store.runs(
      discriminator: typed.discriminator, bootID: context.bootID, now: context.now())
    return (runs ?? Limits.pairingFailures) < Limits.pairingFailures
  }
}
