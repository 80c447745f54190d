import LatchkeyModel

/// The wizard on the machine that shows the code.
struct InviterWizard {
  let node: any NodeInterface
  let environment: TerminalEnvironment
  let events: PairingEvents
  let look: TerminalLook
  /// The minutes for which the code is open.
  let minutes: Int
  /// Whose machine will join, when that was given.
  let name: String?

  private var console: any Console { environment.console }

  /// Asks the questions, opens a code, shows it, and follows the pairing to its end.
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
      // In every case, the drawing remains and the sentence follows below it.
      try? conversation.view.ended(opened)
      throw error
    }
    try WizardEnd(end).tell(console)
    try await offerName(end.progress)
  }

  /// Asks for another name for a machine whose own name is taken.
  private func offerName(_ progress: PairingProgress) async throws {
    guard progress.outcome == .ok, let device = progress.device, let given = progress.peerName, device.name != given
    else { return }
    let prompt = WizardPrompt(console: console, events: events)
    while true {
      // Both machines are paired: leaving now keeps the name.
      guard
        let line = try? await prompt.line(
          "Another name for it? (such as Emma's laptop, or nothing for \(ShownText.quoted(device.name)))"),
        line.contains(where: { !$0.isWhitespace })
      else { return }
      let result: RenameResult
      do {
        result = try await node.rename(device: device.deviceID.description, RenameRequest(name: line))
      } catch {
        guard error.code == .invalid else { throw error }
        WizardEnd.note(ShownText.safe(error.message), console)
        continue
      }
      return WizardEnd.note(DevicesRenameSubcommand.sentence(result, isRenamed: true), console)
    }
  }

  /// Asks until the answer is a valid name or empty.
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
  /// The fault, worded for a question instead of an option.
  fileprivate var wizardSentence: String {
    switch self {
    case .empty: "The name is empty: enter one, or nothing."
    case .unprintable, .tooLong: description
    }
  }
}
