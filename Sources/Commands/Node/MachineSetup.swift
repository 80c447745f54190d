import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// Where `latchkey setup` makes a node, and what runs it.
struct SetupPlace {
  private enum Service {
    /// The machine's own, which the package has installed.
    case systems
    /// That of the account, which the package has installed.
    case accounts
    case none
  }

  let folder: String
  private let service: Service

  var isSystems: Bool { service == .systems }

  /// Chooses the place for a machine; `folder` is the account's unless a person named one.
  ///
  /// Throws `TerminalFailure` if another account has to do it, or it is done already.
  init(_ role: DeviceRole, isNamed: Bool, folder: String, _ setup: MachineSetup) throws(TerminalFailure) {
    switch role {
    case _ where isNamed: (self.folder, service) = (folder, folder == SystemNode.stateFolder ? .systems : .none)
    case .child where setup.hasService(false):
      guard setup.isRoot else {
        throw TerminalFailure(
          .permission,
          "On a child's machine, Latchkey is a service that the child cannot stop: run `sudo latchkey setup --role child`."
        )
      }
      (self.folder, service) = (SystemNode.stateFolder, .systems)
    case .parent where setup.hasService(true):
      guard !setup.isRoot else {
        throw TerminalFailure(
          .permission,
          "A parent's node runs in the parent's own account: run `latchkey setup --role parent` there, without sudo.")
      }
      (self.folder, service) = (folder, .accounts)
    case .parent, .child: (self.folder, service) = (folder, .none)
    }
    if setup.holdsNode(self.folder) {
      throw TerminalFailure(
        .cannotCreate,
        "This machine is set up already, with its state in \(self.folder): see `latchkey status` and pair it with "
          + "`latchkey pair`, or choose another folder with --state-dir.")
    }
  }

  func create(
    _ name: DeviceName, _ role: DeviceRole, _ accounts: StatedAccounts?, _ setup: MachineSetup,
    _ environment: TerminalEnvironment
  ) async throws {
    guard isSystems, setup.isRoot else {
      _ = try await environment.initialise(folder, role, name.text, accounts)
      return
    }
    // The folder is the service's own user's.
    var words = ["init", "--state-dir", folder, "--role", role.rawValue, "--name", name.text]
    if let accounts { words += ["--child", accounts.child.text] + accounts.accounts.flatMap { ["--account", $0] } }
    if let reason = setup.run("runuser", ["-u", "_latchkey", "--", "/usr/bin/latchkey"] + words) {
      throw TerminalFailure(
        .cannotCreate, "The state could not be made: \(Self.plain(reason)). See `sudo latchkey doctor`.")
    }
  }

  /// Starts the node's service, or says how to start the node; returns whether it started.
  func start(_ setup: MachineSetup, _ console: any Console) -> Bool {
    let words: [String]
    switch service {
    case .systems: words = ["enable", "--now", "latchkey-agent", "latchkey"]
    case .accounts: words = ["--user", "enable", "--now", "latchkey"]
    case .none:
      console.note("Start it: run `latchkey run` here and leave it running.")
      return false
    }
    let command = "\(isSystems ? "sudo " : "")systemctl \(words.joined(separator: " "))"
    if isSystems, !setup.isRoot {
      console.note("Start it: run `\(command)`.")
      return false
    }
    if let reason = setup.run("systemctl", words) {
      console.note("It could not be started (\(Self.plain(reason))): run `\(command)`.")
      return false
    }
    console.note("It runs now, and starts \(isSystems ? "with the machine" : "when you log in").")
    return true
  }

  private static func plain(_ reason: String) -> String {
    let text = ShownText.safe(reason)
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

/// The access of `latchkey setup` to the machine.
struct MachineSetup: Sendable {
  /// Returns the machine's name on the network; `nil` if it has none that people may use.
  var hostName: @Sendable () -> String?
  /// Returns the names of the people's accounts on the machine.
  var accounts: @Sendable () -> [String]
  var isRoot: Bool
  /// Returns whether the package with the service of the machine, or of an account, is installed.
  var hasService: @Sendable (_ ofAccount: Bool) -> Bool
  var holdsNode: @Sendable (_ folder: String) -> Bool
  /// Runs a program, and returns why it failed; `nil` if it did not.
  var run: @Sendable (_ name: String, _ arguments: [String]) -> String?

  /// Returns the accounts that a person says are a child's; `nil` if the person named none.
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
