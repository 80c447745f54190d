import LatchkeyModel

/// The wizard's last words.
struct WizardEnd {
  let end: PairingEnd

  init(_ end: PairingEnd) {
    self.end = end
  }

  /// Prints the outcome in lines that fit the terminal; throws `TerminalFailure` unless the two machines are paired.
  func tell(_ console: any Console) throws(TerminalFailure) {
    guard end.status == .ok else {
      let who =
        end.progress.outcome == .cancelled ? " Neither machine is paired with the other, unless it was before." : ""
      throw TerminalFailure(end.status, end.sentence + who)
    }
    Self.note(end.sentence, console)
  }

  /// Prints a text in lines that fit the terminal.
  static func note(_ text: String, _ console: any Console) {
    for line in WrappedText.lines(text, columns: console.size.columns - 1) { console.note(line) }
  }
}
