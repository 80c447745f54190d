import LatchkeyModel

/// A pairing as it is shown while it goes on, in one of four forms.
struct PairingView {
  enum Style {
    /// Lines of text, one an event; nothing that was printed changes.
    case lines
    /// The same lines in the width of the terminal, with the time left and what happens in between.
    case wizard
    /// An open code that stays in sight while it waits, and the wizard's lines below it.
    case page(TerminalLook, isBold: Bool)
    /// JSON for programs, one object a line, and a question for a person who runs the command.
    case json(question: String)
  }

  let console: any Console
  let style: Style
  /// The page on the screen; `nil` if no page fits into the window.
  private var page: InvitationPage?
  /// The code that the page shows.
  private var opened: PairingProgress?
  /// The time left, in minutes, that was told last.
  private var toldMinutes: Int64?
  /// A Boolean value that indicates whether the cursor is behind a question.
  private var isPrompted = false
  /// A Boolean value that indicates whether the code waits for a machine; keys are not echoed then.
  private var isWaiting = false
  /// The number of the machine that is there.
  private var attempt = 0

  /// The reply to an answer that is neither yes nor no.
  static let unclear = "That is neither yes nor no: answer y or n, where n turns it away. [y/N]"

  static func guessed(_ failuresLeft: Int) -> String { PairingProgress.guessed(failuresLeft).worded() }

  /// Returns a code's time in minutes, rounded up.
  static func time(_ milliseconds: Int64) -> String { ShownText.count(max(1, minutes(milliseconds)), "minute") }

  private static func minutes(_ milliseconds: Int64) -> Int64 { (milliseconds + 59_999) / 60_000 }

  init(console: any Console, style: Style) { (self.console, self.style) = (console, style) }

  private var isJSON: Bool { if case .json = style { true } else { false } }

  private var isWizard: Bool {
    switch style {
    case .wizard, .page: true
    case .lines, .json: false
    }
  }

  /// Shows that a code is open, or that the machine that shows it is looked for.
  mutating func began(_ pairing: PairingProgress) throws {
    switch style {
    case .json:
      guard pairing.part == .inviter, pairing.code != nil else { return }
      try write(
        PairingRecord(
          event: .code, pairingID: pairing.pairingID, code: pairing.code, typedCode: pairing.typedCode,
          expiresInMilliseconds: pairing.expiresInMilliseconds, failuresLeft: pairing.failuresLeft,
          childName: pairing.childName))
    case .page(let look, let isBold) where pairing.code != nil:
      opened = pairing
      page = InvitationPage(pairing, console: console, look: look, isBold: isBold)
      wait(pairing)
    case .lines, .wizard, .page: list(pairing)
    }
  }

  private mutating func list(_ pairing: PairingProgress) {
    toldMinutes = pairing.expiresInMilliseconds.map(Self.minutes)
    if pairing.part == .joiner, pairing.phase != .ended { note("Looking for the machine that shows this code …") }
    guard isWizard, pairing.part == .inviter, let code = pairing.code else { return }
    let whose = pairing.childName.map { "Code for \(ShownText.quoted(DeviceName(sanitising: $0))). " } ?? ""
    note(whose + "On the other machine run `latchkey pair` and enter one of these codes.")
    if let typed = pairing.typedCode { note("To type: \(typed)") }
    note("To paste:")
    // One line, even if the terminal wraps it, so that it can be pasted.
    console.note(code)
    if let time = pairing.expiresInMilliseconds { note("Good for \(Self.time(time)); Ctrl-C closes the code.") }
  }

  mutating func guessed(failuresLeft: Int) throws {
    if isJSON { return try write(PairingRecord(event: .failure, failuresLeft: failuresLeft)) }
    page?.notice = Self.guessed(failuresLeft)
    if isWaiting, page != nil { show() } else { note(Self.guessed(failuresLeft)) }
  }

  /// A machine that has the code is there; with `asks`, the person has to say yes or no.
  mutating func met(_ pairing: PairingProgress, asks: Bool) throws {
    let words = Self.introduction(pairing, isWizard: isWizard)
    if case .json(let question) = style {
      attempt = pairing.attempt
      try write(
        PairingRecord(
          event: .request, name: pairing.peerName, role: pairing.peerRole, digits: pairing.digits, attempt: attempt))
      guard asks, console.inputIsTerminal else { return }
      console.forgetInput()
      return console.prompt(words + " " + question)
    }
    stopWaiting("A machine has the code; see below.")
    guard asks else { return note(words) }
    // Input typed before the question is not an answer to it.
    console.forgetInput()
    guard isWizard else { return ask(words + " Accept? [y/N] ") }
    ask(
      words
        + (pairing.part == .inviter
          ? " Are they the same there, and may it join? [y/N] " : " Are they the same there? [y/N] "))
  }

  /// Returns who the other machine is, what it wants, and the digits.
  private static func introduction(_ pairing: PairingProgress, isWizard: Bool) -> String {
    let who = name(pairing) + (pairing.peerRole.map { " (\($0.rawValue))" } ?? "")
    let action = pairing.part == .inviter ? "wants to join" : "answers to the code"
    guard let digits = pairing.digits else { return "\(who) \(action)." }
    let grouped = digits.count == 6 ? "\(digits.prefix(3)) \(digits.suffix(3))" : ShownText.safe(digits)
    return "\(who) \(action)" + (isWizard ? ". Both screens must show the digits " : "; both screens show ") + grouped
      + "."
  }

  private static func name(_ pairing: PairingProgress) -> String {
    ShownText.quoted(pairing.peerName ?? DeviceName(sanitising: ""))
  }

  /// Asks again, because the answer was neither yes nor no.
  mutating func unclear() throws {
    guard isJSON else { return ask(Self.unclear + " ") }
    if console.inputIsTerminal { console.prompt(Self.unclear + " ") }
  }

  /// Shows that the machine has left and that the code is still open.
  mutating func lost(_ pairing: PairingProgress) throws {
    if isJSON { return try write(PairingRecord(event: .withdrawn, attempt: attempt)) }
    leavePrompt()
    if pairing.part == .inviter, let sentence = pairing.sentence {
      note(ShownText.safe(sentence))
    } else {
      note("That machine is gone again" + (pairing.part == .inviter ? ", and the code is still open." : "."))
    }
    if opened != nil { wait(pairing) }
  }

  /// The answer is on its way to the other machine.
  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws {
    isPrompted = false
    // The last sentence tells a no.
    if isWizard, accepts { note("You said yes; waiting for \(Self.name(pairing)) …") }
  }

  /// Shows news of the search, or that the last step broke off and its result is looked for.
  mutating func doubts(_ sentence: String) throws { if !isJSON { note(ShownText.safe(sentence)) } }

  /// Updates the view about once a second; the code closes in `remaining` milliseconds, if known.
  mutating func ticked(remaining: Int64?) throws {
    guard page == nil else {
      page?.remaining = remaining
      return show()
    }
    guard isWizard, let remaining, remaining > 0, let told = toldMinutes, Self.minutes(remaining) < told else { return }
    toldMinutes = Self.minutes(remaining)
    note("The code is good for \(ShownText.count(Self.minutes(remaining), "more minute")).")
  }

  mutating func resized() throws { show(isAnew: true) }

  mutating func node(isThere: Bool) throws {
    let words =
      isThere
      ? "The node of this machine is back."
      : "The node of this machine is gone: waiting for `latchkey run` to come back …"
    if isWaiting, page != nil {
      page?.notice = isThere ? nil : words
      show()
    } else if !isJSON {
      leavePrompt()
      note(words)
    }
  }

  /// Shows that the pairing has ended; the sentence about the outcome follows.
  mutating func ended(_ pairing: PairingProgress) throws {
    stopWaiting(pairing.phase == .ended ? "This code is closed." : "Nobody watches this code any more.")
    leavePrompt()
  }

  /// Writes the last line for programs.
  func result(_ outcome: PairingOutcome?, _ sentence: String, _ device: RegisteredDevice? = nil) throws {
    if isJSON { try write(PairingRecord(event: .result, outcome: outcome, sentence: sentence, device: device)) }
  }

  private func write(_ record: PairingRecord) throws { try console.write(JSONText.line(record)) }

  private mutating func wait(_ pairing: PairingProgress) {
    page?.remaining = pairing.expiresInMilliseconds
    isWaiting = true
    console.setInput(.keys)
    show()
  }

  /// Leaves the page in place, with a word about its code.
  private mutating func stopWaiting(_ word: String) {
    guard isWaiting else { return }
    isWaiting = false
    page?.leave(word)
    console.setInput(.lines)
  }

  /// Draws the page, and goes on with lines if the window is too small for it.
  private mutating func show(isAnew: Bool = false) {
    guard isWaiting, page != nil, page?.show(isAnew: isAnew) != true else { return }
    page = nil
    if let opened { list(opened) }
  }

  private mutating func ask(_ prompt: String) {
    isPrompted = true
    guard isWizard || console.talkIsTerminal, let last = lines(prompt).last else { return console.prompt(prompt) }
    for line in lines(prompt).dropLast() { console.note(line) }
    console.prompt(last.hasSuffix(" ") ? last : last + " ")
  }

  private mutating func leavePrompt() {
    if isPrompted { console.prompt("\n") }
    isPrompted = false
  }

  private func note(_ text: String) { if isWizard { console.noteWrapped(text) } else { console.note(text) } }

  private func lines(_ text: String) -> [String] { WrappedText.lines(text, columns: console.size.columns - 1) }
}
