import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// The machine that makes the decisions of one side of a pairing.
protocol PairingLife: Sendable {
  associatedtype Effect: Sendable

  var shown: PairingProgress { get }
  /// The time at which the code expires; `nil` if it is used up or closed, and on the joiner.
  var deadline: BootInstant? { get }
  var asked: Int? { get }
  mutating func answered(_ accepts: Bool) -> [Effect]
  mutating func requestedEnd(_ outcome: PairingOutcome) -> [Effect]
}

extension InvitationMachine: PairingLife {}
extension JoinMachine: PairingLife {
  var deadline: BootInstant? { nil }
}

/// One side of one pairing for the local API, which carries out its machine's effects.
protocol PairingRole: Actor {
  associatedtype Life: PairingLife

  nonisolated var ledger: PairingLedger { get }
  var machine: Life { get set }
  /// A number that increases with each change of the progress shown.
  var change: Int { get set }

  func perform(_ effect: Life.Effect) async
  /// Records that a session has completed a pairing.
  func completed(_ device: DeviceID, as registered: RegisteredDevice?) async
  /// Records that a pending pairing was rolled back or has lapsed.
  func rolledBack(_ device: DeviceID) async
}

extension PairingRole {
  nonisolated var steps: PairingSteps { ledger.steps }

  /// The progress of the pairing as it is shown.
  var progress: PairingProgress {
    var progress = machine.shown
    progress.change = change
    progress.expiresInMilliseconds = machine.deadline.map { max(0, $0 - ledger.context.now()) }
    return progress
  }

  /// Takes the person's answer.
  ///
  /// Returns `false` if that question no longer awaits one.
  func answer(_ answer: PairingAnswer) async -> Bool {
    guard machine.asked == answer.attempt else { return false }
    await take { $0.answered(answer.accept) }
    return true
  }

  /// Ends the pairing from this side, as far as that is still possible.
  func end(_ outcome: PairingOutcome) async { await take { $0.requestedEnd(outcome) } }

  /// Passes an input to the machine and carries out its effects.
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
  /// Returns new random values for one attempt.
  static func draw() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }
}
