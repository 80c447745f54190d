import Foundation
import Glibc
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The node of a whole machine, which answers each account by whose it is.
  @Suite(.enabled(if: geteuid() == 0, "only root can act as several users; run Tools/test by sudo"))
  struct SystemNodeAsRoot {
    @Test("Root may do everything, a child asks about itself alone, and any other account is told nothing")
    func accounts() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let machine = try await Machine(lab)
        try await machine.set()

        let root = try await machine.latchkey(as: 0, "children", "--format", "json")
        #expect(try root.decode([ChildListing].self).map(\.name.text) == ["Emma", "Tom"], "\(root)")
        for (uid, own, other) in [(Machine.emma, "Emma", "Tom"), (Machine.tom, "Tom", "Emma")] {
          let children = try await machine.latchkey(as: uid, "children", "--format", "json")
          #expect(try children.decode([ChildListing].self).map(\.name.text) == [own], "\(children)")
          for arguments in [["status"], ["today"], ["me"], ["points"], ["requests"], ["apps"], ["today", own]] {
            let result = try await machine.latchkey(as: uid, arguments)
            #expect(result.status == 0 && !result.output.contains(other), "\(arguments): \(result)")
          }
          for arguments in [
            ["today", other], ["points", other], ["ask", "5m", "--child", other], ["redeem", "5", "--child", other],
          ] {
            let result = try await machine.latchkey(as: uid, arguments)
            #expect(result.status == 77 && result.talk.contains("about itself alone"), "\(arguments): \(result)")
          }
          for arguments in [
            ["devices"], ["queue"], ["accounts"], ["rules"], ["pair", "invite", "--yes"], ["usage", "list"],
          ] {
            let result = try await machine.latchkey(as: uid, arguments)
            #expect(result.status == 77 && result.talk.contains("A child may not do that"), "\(arguments): \(result)")
          }
        }
        // What one child asks for, the other does not see.
        let asked = try await machine.latchkey(as: Machine.emma, "ask", "30m", "--reason", "a secret of hers")
        #expect(asked.status == 0, "\(asked)")
        let emmas = try await machine.latchkey(as: Machine.emma, "requests")
        let toms = try await machine.latchkey(as: Machine.tom, "requests")
        #expect(emmas.output.contains("a secret of hers") && !toms.output.contains("secret"), "\(emmas), \(toms)")

        for uid in [Machine.stranger, 65_534] {
          for arguments in [["status"], ["me"], ["today"], ["children"], ["requests"], ["points"], ["ask", "5m"]] {
            let result = try await machine.latchkey(as: uid, arguments)
            #expect(result.status == 77 && result.output.isEmpty, "\(arguments): \(result)")
            #expect(result.talk.contains("This account may ask the node nothing"), "\(arguments): \(result)")
          }
        }
        // Connections beyond the limit are closed at once, and other accounts are still answered.
        let held = try await machine.hold(70, as: Machine.emma)
        #expect(held.output == "6\n", "\(held)")
        await machine.end()
      }
    }
  }

  /// A child's machine whose node serves every account, in a mount namespace of its own, and its
  /// parent.
  private struct Machine {
    /// User IDs of no account of this machine.
    static let (emma, tom, stranger): (UInt32, UInt32, UInt32) = (31_801, 31_802, 31_803)
    private static let service: UInt32 = 31_800

    private let lab: ProcessLab
    private let parent: SpawnedProcess
    private let node: SpawnedProcess
    private let parentFolder: String

    init(_ lab: ProcessLab) async throws {
      self.lab = lab
      chmod(lab.folder, 0o755)
      parentFolder = lab.newPath()
      let state = lab.newPath()
      for folder in [parentFolder, state] {
        mkdir(folder, 0o700)
        chown(folder, Self.service, Self.service)
      }
      let accounts = [("emma", Self.emma), ("tom", Self.tom), ("guest", Self.stranger), ("_latchkey", Self.service)]
      let lines = accounts.map {
        "\($0.0):x:\($0.1):\($0.1):\($0.0),,,:/tmp:\($0.0 == "_latchkey" ? "/usr/sbin/nologin" : "/bin/sh")\n"
      }.joined()
      let passwd = lab.newPath()
      try (ProcessLab.read("/etc/passwd") + lines).write(toFile: passwd, atomically: true, encoding: .utf8)
      chmod(passwd, 0o644)
      // What an installed package has made: a folder for the socket, one for the state, and the
      // accounts.
      let script = """
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir -m 755 /run/latchkey && chown \(Self.service):\(Self.service) /run/latchkey
        mkdir -p /var/lib/latchkey 2>/dev/null || { mount -t tmpfs -o mode=755 tmpfs /var/lib && mkdir /var/lib/latchkey; }
        mount --bind \(state) /var/lib/latchkey
        mount --bind \(passwd) /etc/passwd
        \(Self.command(as: Self.service, BuiltProgram.path)) init --state-dir /var/lib/latchkey --role child --name "Family PC"
        exec \(Self.command(as: Self.service, BuiltProgram.path)) run --state-dir /var/lib/latchkey --interfaces lo \
        --no-discovery --no-agent
        """
      node = try lab.spawn(
        "unshare", ["--mount", "--propagation", "private", "sh", "-ec", script], output: "/dev/null",
        talk: state + ".log")
      let made = try await lab.run(
        "setpriv",
        Self.rights(of: Self.service) + [
          BuiltProgram.path, "init", "--state-dir", parentFolder, "--role", "parent", "--name", "Kitchen laptop",
        ])
      guard made.status == 0 else { throw LabFault("init failed: \(made)") }
      parent = try lab.spawn(
        "setpriv",
        Self.rights(of: Self.service) + [
          BuiltProgram.path, "run", "--state-dir", parentFolder, "--interfaces", "lo", "--no-discovery",
        ], output: "/dev/null", talk: parentFolder + ".log")
      let folder = parentFolder
      try await eventually("the parent answers") {
        (try? await ControlClient.open(stateFolder: folder).ask(Endpoints.getStatus)) != nil
      }
      let (process, own) = (node, self)
      try await eventually("the system's node answers") {
        guard process.isRunning else { throw LabFault("it ended: \(ProcessLab.read(state + ".log"))") }
        return try await own.latchkey(as: 0, "status").status == 0
      }
    }

    /// Pairs the machine, and says that one account is Emma's and one is Tom's.
    func set() async throws {
      let api = try await ControlClient.open(stateFolder: parentFolder)
      guard let code = try await api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true)).code else {
        throw LabFault("no code")
      }
      let joined = try await latchkey(as: 0, "pair", "join", "--yes", "--json", input: code + "\n")
      guard joined.status == 0 else { throw LabFault("not paired: \(joined)") }
      try await eventually("the accounts are known") {
        try await api.ask(Endpoints.getAccounts, nil).contains { $0.account.name == "tom" }
      }
      for name in ["Emma", "Tom"] {
        _ = try await api.ask(Endpoints.addChild, ChildNameRequest(name: name))
        _ = try await api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: name.lowercased(), children: [name]))
      }
      try await eventually("the machine knows whose they are") {
        let results = [try await latchkey(as: Self.tom, "me"), try await latchkey(as: Self.emma, "me")]
        return results.allSatisfy { $0.status == 0 }
      }
    }

    /// Runs `latchkey` without any option about the node, as an account of the machine.
    func latchkey(as uid: UInt32, _ arguments: String..., input: String = "") async throws -> CommandResult {
      try await latchkey(as: uid, arguments, input: input)
    }

    func latchkey(as uid: UInt32, _ arguments: [String], input: String = "") async throws -> CommandResult {
      try await lab.run(
        "nsenter",
        ["--target", "\(node.pid)", "--mount", "--", "setpriv"] + Self.rights(of: uid) + [BuiltProgram.path]
          + arguments, input: input)
    }

    /// Opens connections as an account, has another account ask meanwhile, and returns the number
    /// of them that the node has closed.
    func hold(_ count: Int, as uid: UInt32) async throws -> CommandResult {
      let ask = (Self.rights(of: Self.tom) + [BuiltProgram.path, "me"]).map { "'\($0)'" }.joined(separator: ", ")
      let script = """
        import os, select, socket, subprocess
        os.setresuid(\(uid), \(uid), 0)
        def connect():
            connection = socket.socket(socket.AF_UNIX)
            connection.connect("/run/latchkey/control.sock")
            return connection
        connections = [connect() for _ in range(\(count))]
        closed = set()
        def look(seconds):
            ready, _, _ = select.select([c for c in connections if c not in closed], [], [], seconds)
            closed.update(ready)
            return ready
        while len(closed) < \(count) - 64 and look(30): pass
        os.setresuid(0, 0, 0)
        subprocess.run(["setpriv", \(ask)], check=True, stdout=subprocess.DEVNULL)
        look(0)
        print(len(closed))
        """
      return try await lab.run(
        "nsenter", ["--target", "\(node.pid)", "--mount", "--", "python3", "-c", script])
    }

    func end() async {
      for process in [node, parent] {
        process.signal(SIGTERM)
        _ = await process.wait()
      }
    }

    private static func rights(of uid: UInt32) -> [String] {
      ["--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--inh-caps=-all", "--"]
    }

    private static func command(as uid: UInt32, _ program: String) -> String {
      (["setpriv"] + rights(of: uid) + [program]).joined(separator: " ")
    }
  }
}
