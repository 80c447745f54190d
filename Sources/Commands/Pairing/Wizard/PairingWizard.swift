import LatchkeyModel
import LatchkeyNode

struct PairingWizard {
  let node: any NodeInterface
  let environment: TerminalEnvironment
  let events: PairingEvents
  let look: TerminalLook

  private var console: any Console { environment.console }
  private var prompt: WizardPrompt { WizardPrompt(console: console, events: events) }

  /// Opens a code, shows it, and follows the pairing to its end.
  ///
  /// `name` is the name of the child whose machine will join; `nil` asks for it.
  func invite(minutes: Int, name: String?) async throws {
    let owners = OwnerQuestions(node: node, console: console, prompt: prompt)
    let childName = if let name { name } else { try await owners.askNames() }
    let opened = try await node.ask(
      Endpoints.invite,
      InviteRequest(minutes: minutes, childName: childName.isEmpty ? nil : childName, acceptWithoutAsking: false))
    var conversation = await PairingConversation(
      opened, node: node, environment: environment, events: events, consent: .person,
      style: look.moves ? .page(look, isBold: environment.mayColour) : .wizard)
    let end: PairingEnd
    do { end = try await conversation.follow() } catch {
      // The drawing stays on the screen. The sentence of the error follows below it.
      try? conversation.view.ended(opened)
      throw error
    }
    try end.tell(console, isWizard: true)
    try await offerName(end.progress)
    try await owners.tellAccounts(end.progress, of: ChildNames.split(childName))
  }

  /// Asks for another name for a machine whose own name is taken.
  private func offerName(_ progress: PairingProgress) async throws {
    guard progress.outcome == .ok, let device = progress.device, let given = progress.peerName, device.name != given
    else { return }
    while true {
      // The machines are already paired. A person who leaves here keeps the name.
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
        console.noteWrapped(ShownText.safe(error.message))
        continue
      }
      return console.noteWrapped(DevicesRenameSubcommand.sentence(result, isRenamed: true))
    }
  }

  /// Asks for a code until one starts a pairing, and follows the pairing to its end.
  ///
  /// `peer` is `host:port` of the other machine, when that was given.
  func join(peer: String?) async throws {
    console.noteWrapped(
      "On the parent's machine run `latchkey pair`; it shows two codes. Enter one of them here; Ctrl-C leaves.")
    while true {
      let code = try await CodePrompt(node: node, console: console, events: events, look: look).code()
      let started: PairingProgress
      do {
        started = try await node.ask(Endpoints.join, JoinRequest(code: code, peer: peer, acceptWithoutAsking: false))
      } catch {
        // Only these errors are about the code. They are found before the network is used.
        guard error.code == .typo || error.code == .invalid else { throw error }
        sayBeforeNextTry(ShownText.safe(error.message))
        continue
      }
      var conversation = await PairingConversation(
        started, node: node, environment: environment, events: events, consent: .person, style: .wizard)
      let end = try await conversation.follow()
      guard Self.mayTryAgain(end.progress.outcome) else { return try end.tell(console, isWizard: true) }
      sayBeforeNextTry(end.sentence)
    }
  }

  private func sayBeforeNextTry(_ sentence: String) {
    console.noteWrapped(sentence)
    // A person may paste a code in several lines. The lines left over are not the next code.
    console.forgetInput()
  }

  /// Returns whether another code, or the same code a little later, may succeed.
  private static func mayTryAgain(_ outcome: PairingOutcome?) -> Bool {
    switch outcome {
    case .wrongCode, .typo, .expired, .busy, .notFound: true
    case .ok, .refused, .network, .version, .alreadyPaired, .cancelled, nil: false
    }
  }
}

/// A question of the wizard that a line answers.
struct WizardPrompt {
  let console: any Console
  let events: PairingEvents

  /// Returns the answer to a question; throws `TerminalFailure` after Ctrl-C or Ctrl-D.
  func line(_ text: String) async throws -> String {
    let columns = console.size.columns
    let lines = WrappedText.lines(text, columns: columns - 1)
    for line in lines.dropLast() { console.note(line) }
    console.prompt((lines.last ?? "") + " ")
    let question = LineQuestion(number: 0)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await question.read(from: console, to: events) }
      while true {
        switch try await events.next() {
        case .typed(let line?, 0): return line
        case .typed(nil, 0), .interrupted:
          console.prompt("\n")
          throw Self.left
        default: break
        }
      }
    }
  }

  /// The failure of a person who leaves before the pairing begins.
  static let left = TerminalFailure(
    .tryAgain, "Cancelled: nothing was begun, and neither machine was changed; run `latchkey pair` to start again.")
}
