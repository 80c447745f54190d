import LatchkeyModel
import LatchkeyNode

/// The wizard on the machine that joins.
struct JoinerWizard {
  let node: any NodeInterface
  let environment: TerminalEnvironment
  let events: PairingEvents
  let look: TerminalLook
  /// `host:port` of the other machine, when that was given.
  let peer: String?

  private var console: any Console { environment.console }

  /// Asks for a code until one starts a pairing, and follows the pairing to its end.
  func run() async throws {
    WizardEnd.note(
      "On the parent's machine run `latchkey pair`; it shows two codes. Enter one of them here; Ctrl-C leaves.", console
    )
    while true {
      let code = try await CodePrompt(node: node, console: console, events: events, look: look).code()
      let started: PairingProgress
      do {
        started = try await node.ask(Endpoints.join, JoinRequest(code: code, peer: peer, acceptWithoutAsking: false))
      } catch {
        // A typing error was found before the network was used; everything else is not the code's fault.
        guard error.code == .typo || error.code == .invalid else { throw error }
        sayBeforeNextTry(ShownText.safe(error.message))
        continue
      }
      var conversation = await PairingConversation(
        started, node: node, environment: environment, events: events, consent: .person,
        view: PairingTranscript(console: console, isWizard: true))
      let end = try await conversation.follow()
      guard Self.mayTryAgain(end.progress.outcome) else { return try WizardEnd(end).tell(console) }
      sayBeforeNextTry(end.sentence)
    }
  }

  private func sayBeforeNextTry(_ sentence: String) {
    WizardEnd.note(sentence, console)
    // The rest of a code that was pasted in several lines is no other code.
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
