import LatchkeyModel

/// A pairing as JSON, one object a line, for programs.
struct PairingRecords: PairingView {
  let console: any Console
  /// The question on standard error for a person who runs the command by hand.
  let question: String

  /// One line; `event` says which members are there.
  struct Line: Hashable, Sendable, Codable {
    enum Event: String, Hashable, Sendable, Codable {
      /// The code is open: `code`, `typedCode`, `expiresInMilliseconds`, `failuresLeft`, `childName`?.
      case code
      /// A machine has the code and wants a yes or a no: `name`, `role`, `digits`, `attempt`.
      case request
      /// The machine has left again: `attempt`.
      case withdrawn
      /// A wrong code was entered: `failuresLeft`.
      case failure
      /// The pairing has ended: `outcome`, `sentence`, `device`?.
      case result
    }

    var event: Event
    var pairingID: String?
    var code: String?
    var typedCode: String?
    var expiresInMilliseconds: Int64?
    var failuresLeft: Int?
    var childName: String?
    var name: DeviceName?
    var role: DeviceRole?
    var digits: String?
    var attempt: Int?
    var outcome: PairingOutcome?
    var sentence: String?
    var device: RegisteredDevice?
  }

  private var attempt = 0

  init(console: any Console, question: String = "Accept? [y/N] ") {
    self.console = console
    self.question = question
  }

  mutating func began(_ pairing: PairingProgress) throws {
    guard pairing.part == .inviter, pairing.code != nil else { return }
    try write(
      Line(
        event: .code, pairingID: pairing.pairingID, code: pairing.code, typedCode: pairing.typedCode,
        expiresInMilliseconds: pairing.expiresInMilliseconds, failuresLeft: pairing.failuresLeft,
        childName: pairing.childName))
  }

  mutating func guessed(failuresLeft: Int) throws { try write(Line(event: .failure, failuresLeft: failuresLeft)) }

  mutating func met(_ pairing: PairingProgress, asks: Bool) throws {
    attempt = pairing.attempt
    try write(
      Line(
        event: .request, name: pairing.peerName, role: pairing.peerRole, digits: pairing.digits,
        attempt: pairing.attempt))
    if asks, console.inputIsTerminal {
      console.forgetInput()
      console.prompt(PairingWords.introduction(pairing) + " " + question)
    }
  }

  mutating func unclear() throws {
    if console.inputIsTerminal { console.prompt(PairingWords.unclear + " ") }
  }

  mutating func lost(_ pairing: PairingProgress) throws { try write(Line(event: .withdrawn, attempt: attempt)) }

  /// The last line.
  func result(_ end: PairingEnd) throws {
    try write(
      Line(event: .result, outcome: end.progress.outcome, sentence: end.sentence, device: end.progress.device))
  }

  /// The last line about a code that was refused before anything was sent.
  func typo(_ error: LocalAPIError) throws {
    try write(Line(event: .result, outcome: .typo, sentence: ShownText.safe(error.message)))
  }

  private func write(_ line: Line) throws { try console.write(JSONText.line(line)) }
}
