import LatchkeyModel
import LatchkeyProtocol

/// One side of a pairing with its person and its store.
///
/// It checks that every effect of its machine is possible.
struct FuzzedSide: Sendable {
  private(set) var machine: PairingAttempt
  /// The sent frames that have not been taken yet.
  var outgoing: [[UInt8]] = []
  private(set) var sent: [[UInt8]] = []
  private(set) var asked: PairingQuestion?
  private(set) var failures = 0
  /// A Boolean value that indicates whether the peer was ever durable here.
  private(set) var hasStored = false
  private(set) var active: PairedPeer?
  private(set) var outcome: PairingOutcome?
  private var runs = 0
  private var pending: PairedPeer?
  private var storing: PairedPeer?
  private var promoting: PairedPeer?
  private let isTypedJoiner: Bool

  init(_ machine: PairingAttempt, isTypedJoiner: Bool = false, first: [UInt8]? = nil) {
    self.machine = machine
    self.isTypedJoiner = isTypedJoiner
    outgoing = first.map { [$0] } ?? []
    sent = outgoing
  }

  /// The peer that is stored here, or is being stored, in any state.
  var peer: PairedPeer? { active ?? promoting ?? pending ?? storing }

  mutating func receive(_ frame: [UInt8]) throws(FuzzFault) { try run(machine.received(frame)) }
  mutating func accept() throws(FuzzFault) { try run(machine.requestedAccept()) }
  mutating func lose() throws(FuzzFault) { try run(machine.connectionLost()) }

  mutating func end(_ outcome: PairingOutcome) throws(FuzzFault) {
    let isPastReturn = machine.isPastReturn
    let effects = machine.requestedEnd(outcome)
    try require(!isPastReturn || effects.isEmpty, "it was broken off after the point of no return")
    try run(effects)
  }

  /// Completes what the store was asked for, or answers without a request.
  mutating func work() throws(FuzzFault) {
    if let peer = storing {
      (pending, storing, hasStored) = (peer, nil, true)
      try run(machine.stored())
    } else if let peer = promoting {
      (active, pending, promoting) = (peer, nil, nil)
      try run(machine.promoted())
    } else {
      let effects = machine.stored() + machine.promoted()
      try require(effects.isEmpty, "a store that did nothing changed something")
    }
  }

  private mutating func run(_ effects: [PairingEffect]) throws(FuzzFault) {
    try require(outcome == nil || effects.isEmpty, "an effect after the end")
    for effect in effects {
      try require(outcome == nil, "an effect after the end")
      try run(effect)
    }
    try require((outcome != nil) == machine.isEnded, "ended and finished are not the same")
  }

  private mutating func run(_ effect: PairingEffect) throws(FuzzFault) {
    switch effect {
    case .send(let frame):
      try require((1...1_024).contains(frame.count) && sent.count < 8, "\(sent.count) frames, and \(frame.count) bytes")
      // A machine that answers the frame after the offer lets a peer test a guess.
      try require(!isTypedJoiner || sent.count != 1 || runs == 1, "a guess is given away before it is counted")
      try require(PairingNotice(frame: frame) != .wrongCode || failures == 1, "an answer before the failure is counted")
      sent.append(frame)
      outgoing.append(frame)
    case .ask(let question):
      try require(asked == nil, "the person is asked twice")
      try require(question.name.text.utf8.count <= 64 && question.digits.utf8.count == 6, "\(question) is shown")
      asked = question
    case .storePending(let peer):
      try require(asked != nil && self.peer == nil, "stored twice, or without a question")
      storing = peer
    case .promote(let peer):
      try require(pending?.keys == peer.keys && promoting == nil, "promoted what was not pending")
      promoting = peer
    case .discard(let device):
      try require(peer?.keys.deviceID == device && promoting == nil && active == nil, "discarded what was not there")
      (storing, pending) = (nil, nil)
    case .countFailure:
      failures += 1
      try require(failures == 1 && asked == nil, "\(failures) wrong guesses in one attempt")
    case .countRun:
      runs += 1
      try require(isTypedJoiner && runs == 1, "\(runs) runs in one attempt")
    case .creditRun:
      runs -= 1
      try require(runs == 0, "a run that was not counted is credited")
    case .finish(let outcome):
      try require(outcome != .ok || active != nil, "ok, and nothing is final")
      try require(promoting == nil, "over before it is final, which it has become")
      self.outcome = outcome
    }
  }
}
