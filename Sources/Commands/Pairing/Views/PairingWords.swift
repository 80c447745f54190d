import LatchkeyModel

/// The words about a pairing that several views use.
enum PairingWords {
  /// The other machine's name in quotes, with its role.
  static func who(_ pairing: PairingProgress) -> String {
    let name = ShownText.quoted(pairing.peerName ?? DeviceName(sanitising: ""))
    return name + (pairing.peerRole.map { " (\($0.rawValue))" } ?? "")
  }

  /// Returns the introduction of the other machine, with its request and the digits.
  static func introduction(_ pairing: PairingProgress, isWizard: Bool = false) -> String {
    let action = pairing.part == .inviter ? "wants to join" : "answers to the code"
    let digits = pairing.digits.map(grouped).map {
      isWizard ? ". Both screens must show the digits \($0)" : "; both screens show \($0)"
    }
    return "\(who(pairing)) \(action)\(digits ?? "")."
  }

  /// Returns the question that the person answers with yes or no.
  static func question(_ pairing: PairingProgress, isWizard: Bool = false) -> String {
    guard isWizard else { return "Accept? [y/N]" }
    return pairing.part == .inviter
      ? "Are they the same there, and may it join? [y/N]" : "Are they the same there? [y/N]"
  }

  /// Six digits as two groups of three.
  static func grouped(_ digits: String) -> String {
    digits.count == 6 ? "\(digits.prefix(3)) \(digits.suffix(3))" : ShownText.safe(digits)
  }

  /// Returns the sentence about a wrong code and the attempts left.
  static func guessed(_ failuresLeft: Int) -> String {
    "Somebody entered a wrong code; \(ShownText.count(failuresLeft, "failure")) left until the code is closed."
  }

  /// The sentence about a machine that left before the question was answered.
  static func lost(_ pairing: PairingProgress) -> String {
    if pairing.part == .inviter, let sentence = pairing.sentence { return ShownText.safe(sentence) }
    return pairing.part == .inviter
      ? "That machine is gone again, and the code is still open." : "That machine is gone again."
  }

  /// The reply to an answer that is neither yes nor no.
  static let unclear = "That is neither yes nor no: answer y or n, where n turns it away. [y/N]"

  /// Returns the sentence that follows a yes.
  static func answered(_ pairing: PairingProgress) -> String {
    let name = ShownText.quoted(pairing.peerName ?? DeviceName(sanitising: ""))
    return "You said yes; waiting for \(name) …"
  }

  /// Returns the sentence about whether the node can be reached.
  static func node(isThere: Bool) -> String {
    isThere
      ? "The node of this machine is back."
      : "The node of this machine is gone: waiting for `latchkey run` to come back …"
  }

  /// A code's time in minutes, rounded up.
  static func minutes(_ milliseconds: Int64) -> String {
    ShownText.count(max(1, (milliseconds + 59_999) / 60_000), "minute")
  }

  /// The time left to the second, such as `4:59`.
  static func countdown(_ milliseconds: Int64) -> String {
    let seconds = (max(0, milliseconds) + 999) / 1_000
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }
}
