import LatchkeyModel
import LatchkeyNode

/// The wizard on the machine that shows the code.
struct InviterWizard {
  let node: any NodeInterface
  let environment: TerminalEnvironment
  let events: PairingEvents
  let look: TerminalLook
  /// The minutes for which the code is open.
  let minutes: Int
  /// The name of the child whose machine will join, if it was given.
  let name: String?

  private var console: any Console { environment.console }

  /// Asks the questions, opens a code, shows it, and follows the pairing to its end.
  func run() async throws {
    let owners = OwnerQuestions(node: node, console: console, prompt: WizardPrompt(console: console, events: events))
    let childName = if let name { name } else { try await owners.askNames() }
    let opened = try await node.ask(
      Endpoints.invite,
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
    try await owners.tellAccounts(end.progress, of: ChildNames.split(childName))
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
        result = try await node.ask(Endpoints.renameDevice, (device.deviceID.description, RenameRequest(name: line)))
      } catch {
        guard error.code == .invalid else { throw error }
        WizardEnd.note(ShownText.safe(error.message), console)
        continue
      }
      return WizardEnd.note(DevicesRenameSubcommand.sentence(result, isRenamed: true), console)
    }
  }
}
