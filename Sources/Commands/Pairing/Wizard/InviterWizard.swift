import LatchkeyModel

/// The wizard on the machine that shows the code.
struct InviterWizard {
  let node: any NodeInterface
  let environment: CommandEnvironment
  let events: PairingEvents
  let look: TerminalLook
  /// How long the code is good.
  let minutes: Int
  /// Whose machine will join, when that was given.
  let name: String?

  private var console: any Console { environment.console }

  /// Ask, open a code, show it, and follow the pairing to its end.
  func run() async throws {
    let childName = if let name { name } else { try await askName() }
    let opened = try await node.invite(
      InviteRequest(
        minutes: minutes, childName: childName.isEmpty ? nil : childName, acceptWithoutAsking: false))
    let view: any PairingView =
      look.moves
      ? PairingScreen(console: console, look: look, isBold: environment.mayColour)
      : PairingTranscript(console: console, isWizard: true)
    var conversation = await PairingConversation(
      opened, node: node, environment: environment, events: events, consent: .person, view: view)
    let end: PairingEnd
    do { end = try await conversation.follow() } catch {
      // Whatever the reason, the terminal is left with what is drawn, and the sentence comes below.
      try? conversation.view.ended(opened)
      throw error
    }
    try WizardEnd(end).tell(console)
  }

  /// Ask until the answer is a name or nothing.
  private func askName() async throws -> String {
    let prompt = WizardPrompt(console: console, events: events)
    while true {
      let line = try await prompt.line("Whose machine will this be? (a name such as Emma, or nothing)")
      let text = line.trimmingPrefix { $0.isWhitespace }
      guard text.contains(where: { !$0.isWhitespace }) else { return "" }
      do { return try DeviceName(String(text)).text } catch {
        WizardEnd.note(error.wizardSentence, console)
      }
    }
  }
}

extension DeviceNameError {
  /// The fault, for somebody who is asked for a name and not for an option.
  fileprivate var wizardSentence: String {
    switch self {
    case .empty: "The name is empty: enter one, or nothing."
    case .unprintable, .tooLong: description
    }
  }
}
