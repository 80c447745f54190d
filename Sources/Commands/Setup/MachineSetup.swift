import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// What `latchkey setup` asks of the machine, and does to it besides making a node's state.
struct MachineSetup: Sendable {
  /// Returns the machine's name on the network; `nil` if it has none that people may use.
  var hostName: @Sendable () -> String?
  /// Returns the names of the people's accounts on the machine.
  var accounts: @Sendable () -> [String]
  /// A Boolean value that indicates whether the process is root's.
  var isRoot: Bool
  /// Returns whether the package with the service of the machine, or of an account, is installed.
  var hasService: @Sendable (_ ofAccount: Bool) -> Bool
  var holdsNode: @Sendable (_ folder: String) -> Bool
  /// Runs a program, and returns why it failed; `nil` if it did not.
  var run: @Sendable (_ name: String, _ arguments: [String]) -> String?

  /// Returns which accounts of the machine a person says are a child's; `nil` if the person named
  /// none.
  ///
  /// Throws `TerminalFailure` if a name is missing or the machine has no such account.
  func stated(_ child: DeviceName?, _ names: [String]) throws(TerminalFailure) -> StatedAccounts? {
    if names.isEmpty { return nil }
    guard let child else { throw TerminalFailure(.usage, "Say with --child whose accounts they are.") }
    let all = accounts()
    if let unknown = names.first(where: { !all.contains($0) }) {
      throw TerminalFailure(
        .usage,
        "This machine has no account “\(ShownText.safe(unknown))”; it has \(all.isEmpty ? "none" : all.joined(separator: ", "))."
      )
    }
    let stated = StatedAccounts(child, names)
    if let fault = stated.fault { throw TerminalFailure(.usage, fault) }
    return stated
  }

  static func live(_ variables: [String: String]) -> MachineSetup {
    // The way to the account's service manager.
    let kept = variables.filter { ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME"].contains($0.key) }
    return MachineSetup(
      hostName: {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (try? DeviceName(text))?.text
      },
      accounts: {
        SystemAccounts.people(among: SystemAccounts.known(), ownUser: geteuid()).map(\.name).sorted()
      },
      isRoot: geteuid() == 0,
      hasService: { ofAccount in
        let folders = ofAccount ? ["/usr/lib/systemd/user"] : ["/lib/systemd/system", "/usr/lib/systemd/system"]
        return folders.contains { access($0 + "/latchkey.service", F_OK) == 0 }
      },
      holdsNode: { StateFolder(path: $0).hasProfile },
      run: { name, arguments in
        switch ToolRun.run(name, arguments, seconds: 90, variables: kept) {
        case .output: nil
        case .absent: "there is no \(name)"
        case .failed(let reason): reason
        }
      })
  }
}
