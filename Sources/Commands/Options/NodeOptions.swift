import ArgumentParser
import LatchkeyControl
import LatchkeyModel

/// Which node a command is about; every command takes it.
struct NodeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder with the node's state.", valueName: "folder"))
  var stateDir: String?

  /// The folder in full.
  var stateFolder: String {
    LocalNode.stateFolder(explicit: stateDir, environment: CommandEnvironment.current.variables)
  }

  /// Find the running node.
  ///
  /// - Throws: `NodeUnavailable`, whose sentence says what to do.
  func open() async throws -> any NodeInterface {
    try await CommandEnvironment.current.openNode(stateFolder)
  }

  mutating func validate() throws {
    if stateDir?.isEmpty == true { throw ValidationError("The folder's name is empty: give one after --state-dir.") }
  }
}
