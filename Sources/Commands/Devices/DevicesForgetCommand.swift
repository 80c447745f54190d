import ArgumentParser
import LatchkeyModel

/// The command `latchkey devices forget`.
struct DevicesForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Drop a machine at once, without a word to it.",
    discussion: """
      For a machine that is lost, sold or broken. Its keys are erased here and it gets silence; what it recorded stays. \
      To let a machine know, use `latchkey devices unpair`.

      Example: latchkey devices forget "Emma's old PC"
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: "The machine's name, its ID, or the beginning of its ID.")
  var device: String

  func run() async throws {
    let console = CommandEnvironment.current.console
    let result = try await node.open().forget(device: device)
    console.note("\(ShownText.quoted(result.device.name)) is forgotten.\(DeviceText.closed(result))")
  }
}
