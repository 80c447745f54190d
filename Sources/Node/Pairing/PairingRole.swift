import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// The machine that decides for one side of a pairing.
protocol PairingLife: Sendable {
  associatedtype Effect: Sendable

  var shown: PairingProgress { get }
  /// When the code runs out; `nil` when it is spent or closed, and on the joiner.
  var deadline: BootInstant? { get }
  var asked: Int? { get }
  mutating func answered(_ accepts: Bool) -> [Effect]
  mutating func requestedEnd(_ outcome: PairingOutcome) -> [Effect]
}

extension InvitationMachine: PairingLife {}
extension JoinMachine: PairingLife {
  var deadline: BootInstant? { nil }
}

/// One side of one pairing, as the local API sees it: runs what its machine decides.
protocol PairingRole: Actor {
  associatedtype Life: PairingLife

  nonisolated var ledger: PairingLedger { get }
  var machine: Life { get set }
  /// Grows with each change of what is shown.
  var change: Int { get set }

  func perform(_ effect: Life.Effect) async
  /// Takes note that a session has completed a pairing.
  func completed(_ device: DeviceID, as registered: RegisteredDevice?) async
  /// Takes note that a half-made pairing was rolled back, or has lapsed.
  func rolledBack(_ device: DeviceID) async
}

extension PairingRole {
  nonisolated var steps: PairingSteps { ledger.steps }

  /// What is shown of the pairing now.
  var progress: PairingProgress {
    var progress = machine.shown
    progress.change = change
    progress.expiresInMilliseconds = machine.deadline.map { max(0, $0 - ledger.context.now()) }
    return progress
  }

  /// Takes the person's answer; false when that question is not asked any more.
  func answer(_ answer: PairingAnswer) async -> Bool {
    guard machine.asked == answer.attempt else { return false }
    await take { $0.answered(answer.accept) }
    return true
  }

  /// Ends the pairing from this side, as far as it can still be ended.
  func end(_ outcome: PairingOutcome) async { await take { $0.requestedEnd(outcome) } }

  /// Takes an input of the machine, and performs what it asks for.
  func take(_ input: (inout Life) -> [Life.Effect]) async {
    let before = machine.shown
    let effects = input(&machine)
    if machine.shown != before {
      change += 1
      ledger.context.changes.notify()
    }
    for effect in effects { await perform(effect) }
  }
}

extension PairingEntropy {
  /// Draws everything random for one attempt.
  static func draw() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }
}
