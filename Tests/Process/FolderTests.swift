import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Names, folders and databases that are wrong.
  @Suite struct FolderTests {
    /// One sentence on standard error, nothing on standard output, and one of the statuses.
    private func expect(
      _ result: CommandResult, _ statuses: Set<Int32>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(statuses.contains(result.status), "\(result)", sourceLocation: sourceLocation)
      #expect(
        result.talkLines.count == 1 && result.talk.hasPrefix("latchkey: "), "\(result)", sourceLocation: sourceLocation)
      #expect(result.output.isEmpty, "\(result)", sourceLocation: sourceLocation)
    }

    private func run(_ folder: String, _ lab: ProcessLab, _ more: String...) async throws -> CommandResult {
      try await lab.latchkey(["run", "--interfaces", "lo", "--no-discovery", "--state-dir", folder] + more)
    }

    /// Names and contents of every file in a folder.
    private func contents(_ folder: String) throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        contents[name] = FileManager.default.contents(atPath: folder + "/" + name)
      }
      return contents
    }

    @Test(
      "An invalid name creates no folder",
      arguments: [
        "", "a\u{1B}[31mb", "line\nbreak", String(repeating: "x", count: 65), String(repeating: "ü", count: 33),
      ])
    func badName(name: String) async throws {
      try await ProcessLab.run { lab in
        let folder = lab.newPath()
        let made = try await lab.latchkey(["init", "--role", "child", "--name", name, "--state-dir", folder])
        expect(made, [64, 65])
        #expect(!made.talk.contains("\u{1B}"))
        #expect(!FileManager.default.fileExists(atPath: folder))
      }
    }

    @Test("A folder that contains a node is not changed")
    func taken() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let before = try contents(node.folder)
        expect(try await lab.latchkey(["init", "--role", "child", "--name", "x", "--state-dir", node.folder]), [73])
        let after = try contents(node.folder)
        for name in ["identity.key", "node.json", "latchkey.sqlite"] { #expect(before[name] == after[name], "\(name)") }
        // The same while it runs, where stopping it would be no help.
        try await node.start()
        let made = try await lab.latchkey(["init", "--role", "child", "--name", "x", "--state-dir", node.folder])
        expect(made, [73])
        #expect(made.talk.contains("holds a node already, which is running"))
      }
    }

    @Test("Without a folder or a running node, every command says what to do")
    func nothingThere() async throws {
      try await ProcessLab.run { lab in
        let folder = lab.newPath()
        expect(try await run(folder, lab), [66])
        expect(try await lab.latchkey(["status", "--state-dir", folder]), [66])
        let node = try await lab.node(.child, "Emma's PC")
        expect(try await node.latchkey("status"), [69])
        expect(try await node.latchkey("pair", "join", input: "LK1"), [69])
        #expect(!FileManager.default.fileExists(atPath: folder))
      }
    }

    @Test("Unknown devices and commands are reported in one sentence")
    func unknown() async throws {
      try await ProcessLab.run { lab in
        let (parent, _) = try await lab.pairedFamily()
        expect(try await parent.latchkey("app", "set", "a.b", "--child", "Nobody", "--blocked"), [67])
        expect(try await parent.latchkey("devices", "unpair", "Nobody"), [67])
        expect(try await parent.latchkey("commands", "show", "0123456789"), [67])
        expect(try await parent.latchkey("commands", "cancel", "01a1fc7d-cc5b-7735-a88a-5b29acdd473f"), [67])
        expect(try await parent.latchkey("commands", "wait", "x"), [67])
        #expect(try await parent.api.ask(Endpoints.getCommands, (nil, 10)).isEmpty)
        #expect(try await parent.api.ask(Endpoints.getDevices).count == 1)
      }
    }

    @Test("A port in use is reported, and the folder keeps its own port")
    func portInUse() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let taken = try ListeningSocket()
        let result = try await run(node.folder, lab, "--port", "\(taken.port)")
        expect(result, [69])
        #expect(result.talk.contains("\(taken.port)"))
        #expect(try node.read { try String.fetchOne($0, sql: "SELECT value FROM setting WHERE key = 'port'") } == nil)
        withExtendedLifetime(taken) {}
      }
    }

    @Test("A folder of a newer version is refused and not changed")
    func newerVersion() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let before = try node.read {
          try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1")
        }
        try node.edit { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999-from-the-future')") }
        for _ in 0..<2 { expect(try await run(node.folder, lab), [78]) }
        let after = try node.read {
          try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1")
        }
        #expect(!before.isEmpty && after == before + ["999-from-the-future"])
        #expect(try !FileManager.default.contentsOfDirectory(atPath: node.folder).contains { $0.contains("damaged") })

        let other = try await lab.node(.parent, "Kitchen laptop")
        let profile = Data(#"{"version": 99, "something": "else"}"#.utf8)
        try profile.write(to: URL(fileURLWithPath: other.folder + "/node.json"))
        expect(try await run(other.folder, lab), [78])
        #expect(try contents(other.folder)["node.json"] == profile)
      }
    }

    @Test("A damaged database is set aside completely, and the next start creates an empty one")
    func damaged() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        #expect(await parent.terminate() == .exited(0))
        await child.kill()
        let path = parent.database
        var bytes = try #require(FileManager.default.contents(atPath: path))
        for page in 1..<bytes.count / 4_096 {
          // The header of the page and something in the middle of it.
          for byte in 0..<64 {
            bytes[page * 4_096 + byte] ^= 0xAA
            bytes[page * 4_096 + 1_000 + byte * 40] ^= 0x55
          }
        }
        // A node that stopped cleanly has written its log back, so the damaged file contains all
        // data.
        #expect(bytes.count > 100_000)
        #expect((FileManager.default.contents(atPath: path + "-wal") ?? Data()).isEmpty)
        try bytes.write(to: URL(fileURLWithPath: path))
        let first = try await run(parent.folder, lab)
        expect(first, [65])
        #expect(first.talk.contains("latchkey.sqlite.damaged-1"))
        #expect(try contents(parent.folder)["latchkey.sqlite.damaged-1"] == bytes)
        try await parent.start()
        let status = try await parent.api.ask(Endpoints.getStatus)
        #expect(status.peers.isEmpty)
        #expect(status.name.text == "Kitchen laptop")
        #expect(status.warnings.contains { $0.contains("damaged-1") }, "\(status.warnings)")
      }
    }

    @Test("A file that is not a database is set aside as well")
    func noDatabase() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let text = Data("This is not a database, however long it may be looked at.\n".utf8)
        try text.write(to: URL(fileURLWithPath: node.database))
        expect(try await run(node.folder, lab), [65])
        #expect(try contents(node.folder)["latchkey.sqlite.damaged-1"] == text)
      }
    }

    @Test("Damaged keys, keys of another node, and keys that other users may read are refused")
    func keys() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let other = try await lab.node(.parent, "Kitchen laptop")
        let path = node.folder + "/identity.key"
        let good = try #require(FileManager.default.contents(atPath: path))
        chmod(path, 0o644)
        expect(try await run(node.folder, lab), [77])
        chmod(path, 0o600)
        let foreign = try #require(FileManager.default.contents(atPath: other.folder + "/identity.key"))
        try foreign.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        expect(try await run(node.folder, lab), [65])
        var flipped = good
        flipped[40] ^= 1
        try flipped.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        expect(try await run(node.folder, lab), [65])
        unlink(path)
        expect(try await run(node.folder, lab), [66])
      }
    }

    /// The reason why the test cannot mount a private disk; `nil` if it can.
    static let obstacle = Namespaces.obstacle("--mount", script: "mount -t tmpfs tmpfs /mnt")

    @Test(
      "A full disk is reported; no node is created on it, and an existing one starts and reports it",
      .enabled(if: obstacle == nil, "\(obstacle ?? "")"))
    func fullDisk() async throws {
      try await ProcessLab.run { lab in
        let disk = lab.newPath()
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let script = """
          mount -t tmpfs -o size=2m tmpfs \(disk) || exit 1
          fill() { dd if=/dev/zero of=\(disk)/fill bs=4k 2> /dev/null; }
          L="\((Namespaces.asOrdinaryUser + [BuiltProgram.path]).joined(separator: " "))"
          fill
          $L init --role parent --name Full --state-dir \(disk)/a; echo "init $?"
          truncate -s -20k \(disk)/fill
          $L init --role parent --name Half --state-dir \(disk)/c; echo "half $?"
          ls \(disk)/c | grep -q identity.key; echo "key $?"
          rm \(disk)/fill
          $L init --role parent --name Half --state-dir \(disk)/c > /dev/null; echo "half $?"
          $L init --role parent --name Room --state-dir \(disk)/b > /dev/null; echo "init $?"
          fill
          $L run --interfaces lo --no-discovery --state-dir \(disk)/b --log-level critical & P=$!
          until $L status --state-dir \(disk)/b > /dev/null 2>&1; do kill -0 $P || exit 2; sleep 0.05; done
          $L status --state-dir \(disk)/b | grep -q "disk is full"; echo "full $?"
          rm \(disk)/fill
          while $L status --state-dir \(disk)/b | grep -q "disk is full"; do kill -0 $P || exit 3; sleep 0.05; done
          $L status --state-dir \(disk)/b > /dev/null; echo "status $?"
          kill $P; wait $P; echo "left $?"
          """
        let command = Namespaces.make("--mount")
        let result = try await lab.run(command[0], command.dropFirst() + ["sh", "-c", script])
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0, "\(result)")
        #expect(lines.first.map { ["init 73", "init 74"].contains($0) } == true, "\(result)")
        // The next attempt completes the interrupted one.
        #expect(lines.dropFirst().first.map { ["half 73", "half 74"].contains($0) } == true, "\(result)")
        #expect(lines.dropFirst(2) == ["key 0", "half 0", "init 0", "full 0", "status 0", "left 0"], "\(result)")
        // One sentence for each of the two, besides those of success.
        #expect(result.talkLines.filter { $0.hasPrefix("latchkey: ") }.count == 2, "\(result)")
        #expect(!result.talk.contains("cannot be created"), "\(result)")
      }
    }
  }
}
