import LatchkeyModel

/// A pairing as lines of text, one an event; nothing that was printed changes.
struct PairingTranscript: PairingView {
  let console: any Console
  /// A Boolean value that indicates whether a person reads the time left and intermediate events, as in the wizard.
  var isWizard = false
  /// The time left, in minutes, that was told last.
  private var toldMinutes: Int64?
  /// A Boolean value that indicates whether the cursor is behind a question.
  private var isPrompted = false

  init(console: any Console, isWizard: Bool = false) {
    self.console = console
    self.isWizard = isWizard
  }

  mutating func began(_ pairing: PairingProgress) throws {
    toldMinutes = pairing.expiresInMilliseconds.map { ($0 + 59_999) / 60_000 }
    if pairing.part == .joiner, pairing.phase != .ended {
      note("Looking for the machine that shows this code …")
    }
    guard isWizard, pairing.part == .inviter, let code = pairing.code else { return }
    let whose = pairing.childName.map { "Code for \(ShownText.quoted(DeviceName(sanitising: $0))). " } ?? ""
    note(whose + "On the other machine run `latchkey pair` and enter one of these codes.")
    if let typed = pairing.typedCode { note("To type: \(typed)") }
    note("To paste:")
    // One line, even if the terminal wraps it, so that it can be pasted.
    console.note(code)
    if let time = pairing.expiresInMilliseconds {
      note("Good for \(PairingWords.minutes(time)); Ctrl-C closes the code.")
    }
  }

  mutating func guessed(failuresLeft: Int) throws { note(PairingWords.guessed(failuresLeft)) }

  mutating func met(_ pairing: PairingProgress, asks: Bool) throws {
    let text = PairingWords.introduction(pairing, isWizard: isWizard)
    guard asks else { return note(text) }
    let prompt = text + " " + PairingWords.question(pairing, isWizard: isWizard) + " "
    isPrompted = true
    // Input typed before the question is not an answer to it.
    console.forgetInput()
    put(prompt)
  }

  mutating func unclear() throws {
    isPrompted = true
    put(PairingWords.unclear + " ")
  }

  mutating func lost(_ pairing: PairingProgress) throws {
    leavePrompt()
    note(PairingWords.lost(pairing))
  }

  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws {
    isPrompted = false
    // A no is told by the last sentence.
    if isWizard, accepts { note(PairingWords.answered(pairing)) }
  }

  mutating func doubts(_ sentence: String) throws { note(ShownText.safe(sentence)) }

  mutating func ticked(remaining: Int64?) throws {
    guard isWizard, let remaining, remaining > 0 else { return }
    let minutes = (remaining + 59_999) / 60_000
    guard let told = toldMinutes, minutes < told else { return }
    toldMinutes = minutes
    note("The code is good for \(ShownText.count(minutes, "more minute")).")
  }

  mutating func node(isThere: Bool) throws {
    leavePrompt()
    note(PairingWords.node(isThere: isThere))
  }

  mutating func ended(_ pairing: PairingProgress) throws { leavePrompt() }

  private func put(_ prompt: String) {
    guard isWizard || console.talkIsTerminal, let last = lines(prompt).last else { return console.prompt(prompt) }
    for line in lines(prompt).dropLast() { console.note(line) }
    console.prompt(last.hasSuffix(" ") ? last : last + " ")
  }

  private mutating func leavePrompt() {
    if isPrompted { console.prompt("\n") }
    isPrompted = false
  }

  private func note(_ text: String) {
    guard isWizard else { return console.note(text) }
    for line in lines(text) { console.note(line) }
  }

  private func lines(_ text: String) -> [String] { WrappedText.lines(text, columns: console.size.columns - 1) }
}
