import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey children pin` subcommand.
struct ChildrenPINSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Give a child a PIN for accounts that several children share.",
    discussion: """
      With it, the child says who is there: `latchkey me --i-am`. It is asked for twice, or read from standard input, and every \
      machine of the child's knows it as soon as it is in touch.

      Example: latchkey children pin Ben
      Example: latchkey children pin Ben --remove
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: ChildArgument

  @Flag(help: "Remove the PIN.")
  var remove = false

  func run() async throws {
    let interface = try await node.open()
    let found = try await interface.ask(Endpoints.getRules, argument.child).child
    let name = ShownText.safe(found.name.text)
    let pin = remove ? nil : try await PINPrompt.askForNew(of: name)
    let child = try await interface.ask(Endpoints.setPIN, (found.childID.description, ChildPINRequest(pin: pin)))
    let console = TerminalEnvironment.current.console
    console.note(
      remove
        ? "\(name) has no PIN now, and cannot say who is there in an account that is shared."
        : "\(name) has a new PIN. In an account that is shared, `latchkey me --i-am \(ShellWord.person(found.name.text))` asks for it."
    )
    if let sentence = ChildText.untold(child) { console.note(sentence) }
  }
}
