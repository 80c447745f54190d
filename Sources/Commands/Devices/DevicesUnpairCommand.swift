import ArgumentParser
import LatchkeyModel

/// The command `latchkey devices unpair`.
struct DevicesUnpairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair", abstract: "Remove a machine from the family for good.",
    discussion: """
      Its key never opens a session again; only a new pairing brings the machine back. What was recorded stays.

      Example: latchkey devices unpair "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: "The machine's name, its ID, or the beginning of its ID.")
  var device: String

  func run() async throws {
    let console = CommandEnvironment.current.console
    let result = try await node.open().unpair(device: device)
    let told = result.wasTold ? "It has been told." : "It is told when it next calls."
    console.note("\(ShownText.quoted(result.device.name)) is removed. \(told)\(DeviceText.closed(result))")
  }
}
