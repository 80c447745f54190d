import LatchkeyModel
import LatchkeyProtocol

/// One side with all effects of its machine.
///
/// It is a value, so that a test can continue from one point in many ways.
struct PairingSide: Sendable {
  struct Question: Equatable {
    var name: String
    var role: DeviceRole
    var digits: String
  }

  /// The durable data about the other device.
  enum Kept: String {
    case nothing
    case pending
    case active
  }

  var machine: PairingAttempt
  /// The sent frames that no test has taken yet.
  var outgoing: [[UInt8]] = []
  private(set) var sent: [[UInt8]] = []
  private(set) var questions: [Question] = []
  private(set) var failures = 0
  /// The runs of a typed code that no inviter answered.
  private(set) var runs = 0
  private(set) var discards = 0
  private(set) var outcomes: [PairingOutcome] = []
  private(set) var pending: PairedPeer?
  private(set) var active: PairedPeer?
  /// The peer that is being made durable.
  private(set) var storing: PairedPeer?
  private(set) var promoting: PairedPeer?
  /// Requests in an order that no store could follow.
  private(set) var faults: [String] = []

  init(_ machine: PairingAttempt) {
    self.machine = machine
  }

  var kept: Kept { active != nil ? .active : pending != nil ? .pending : .nothing }

  mutating func run(_ effects: [PairingEffect]) {
    if !outcomes.isEmpty && !effects.isEmpty { faults.append("an effect after the end") }
    for effect in effects {
      switch effect {
      case .send(let frame):
        sent.append(frame)
        outgoing.append(frame)
      case .ask(let question):
        questions.append(Question(name: question.name.text, role: question.role, digits: question.digits))
      case .storePending(let peer):
        if storing != nil || pending != nil { faults.append("stored twice") }
        storing = peer
      case .promote(let peer):
        if pending?.keys != peer.keys { faults.append("promoted what was not pending") }
        promoting = peer
      case .discard(let device):
        if (storing ?? pending)?.keys.deviceID != device { faults.append("discarded what was not there") }
        (storing, pending) = (nil, nil)
        discards += 1
      case .countFailure: failures += 1
      case .countRun: runs += 1
      case .creditRun:
        if runs == 0 { faults.append("credited what was not counted") }
        runs -= 1
      case .finish(let outcome):
        outcomes.append(outcome)
        if !machine.isEnded { faults.append("finished and not ended") }
      }
    }
  }

  mutating func receive(_ frame: [UInt8]) { run(machine.received(frame)) }
  mutating func accept() { run(machine.requestedAccept()) }
  mutating func end(_ outcome: PairingOutcome) { run(machine.requestedEnd(outcome)) }
  mutating func lose() { run(machine.connectionLost()) }

  /// Completes what the store was asked for.
  mutating func store() {
    guard let peer = storing else { return }
    (pending, storing) = (peer, nil)
    run(machine.stored())
  }

  mutating func promote() {
    guard let peer = promoting else { return }
    (active, pending, promoting) = (peer, nil, nil)
    run(machine.promoted())
  }
}
