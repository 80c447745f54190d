import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey devices rename` subcommand.
struct DevicesRenameSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a machine another name, or say whose it is.",
    discussion: """
      The other machines hear of it at once, or when they are next in touch. On a child's machine only that machine itself can \
      be renamed.

      Example: latchkey devices rename "Emma's PC" --to "Emma's laptop"
      Example: latchkey devices rename --self "Kitchen laptop"
      Example: latchkey devices rename "Emma's PC" --child Emma
      """)

  @OptionGroup var node: NodeOptions

  @Argument(
    help: ArgumentHelp(
      "The machine's name, its child's, its device ID, or the beginning of one; with --self the new name.",
      valueName: "machine"), completion: CompletionNames.devices)
  var device: String

  @Option(help: ArgumentHelp("The new name.", valueName: "name"))
  var to: String?

  @Option(help: ArgumentHelp("The child whose machine it is; \"\" for none.", valueName: "name"))
  var child: String?

  @Flag(name: .customLong("self"), help: "Rename the machine that this runs on.")
  var isSelf = false

  mutating func validate() throws {
    if isSelf, to != nil || child != nil {
      throw ValidationError("With --self the argument is the new name: leave --to and --child out.")
    }
    if !isSelf, to == nil, child == nil {
      throw ValidationError("Nothing is to be changed: give --to a new name, or --child whose machine it is.")
    }
  }

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let interface = try await node.open()
    let result: RenameResult
    if isSelf {
      let own = try await interface.ask(Endpoints.getStatus).deviceID
      result = try await interface.ask(Endpoints.renameDevice, (own.description, RenameRequest(name: device)))
    } else {
      result = try await interface.ask(Endpoints.renameDevice, (device, RenameRequest(name: to, childName: child)))
    }
    console.note(Self.sentence(result, isRenamed: isSelf || to != nil))
  }

  static func sentence(_ result: RenameResult, isRenamed: Bool) -> String {
    result.phrases(isRenamed: isRenamed).map { $0.worded() }.joined(separator: " ")
  }
}
