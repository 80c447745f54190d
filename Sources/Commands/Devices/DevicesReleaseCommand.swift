import ArgumentParser
import LatchkeyModel

/// The command `latchkey devices release`.
struct DevicesReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Talk again to a machine that is in quarantine.",
    discussion: """
      A machine is put in quarantine when two live machines use its keys. First run `latchkey identity renew` on the one \
      that is the copy, and pair it again; then release the other here.

      Example: latchkey devices release "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: "The machine's name, its ID, or the beginning of its ID.")
  var device: String

  func run() async throws {
    let console = CommandEnvironment.current.console
    let peer = try await node.open().release(device: device)
    console.note("\(ShownText.quoted(peer.device.name)) is trusted again.")
  }
}
