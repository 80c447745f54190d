import ArgumentParser
import LatchkeyModel

/// The options that say whose a child's machine and its accounts are.
struct OwnerOptions: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "On a child's machine, a child whose it is, for the parent who pairs it; may be given again.", valueName: "name"))
  var child: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "On a child's machine, an account and whose it is, such as emma=Emma; may be given again.",
      valueName: "login=name"))
  var account: [String] = []

  /// Returns what was said, for a machine of a role.
  func read(_ role: DeviceRole) throws -> MachineOwners {
    guard role == .child || child.isEmpty && account.isEmpty else {
      throw TerminalFailure(.usage, "--child and --account are about a child's machine: leave them out here.")
    }
    return try OwnerNote.read(children: child, accounts: account)
  }
}
