import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// State folders that others may use, or that are not what they seem.
  @Suite struct FolderRightsTests {
    private let run = ["run", "--interfaces", "lo", "--no-discovery"]
    private let make = ["init", "--role", "parent", "--name", "Kitchen laptop"]

    /// Expects one sentence that holds `words`, and the exit status that the key file's rights
    /// have.
    private func expectRefusal(
      _ lab: ProcessLab, _ arguments: [String], _ folder: String, _ words: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let result = try await lab.latchkey(arguments + ["--state-dir", folder])
      #expect(result.status == 77, "\(result)", sourceLocation: sourceLocation)
      #expect(
        result.talkLines.count == 1 && result.talk.contains(words), "\(result)", sourceLocation: sourceLocation)
      #expect(result.output.isEmpty, "\(result)", sourceLocation: sourceLocation)
    }

    private func mode(_ path: String) -> UInt32 {
      var status = stat()
      return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test(
      "A folder that other users may access is refused by every command",
      arguments: [0o755, 0o777, 0o710, 0o701] as [UInt32])
    func open(mode: UInt32) async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        chmod(node.folder, mode)
        for arguments in [run, make, ["status"], ["identity", "keep"], ["identity", "renew"]] {
          try await expectRefusal(lab, arguments, node.folder, "chmod 700")
        }
        chmod(node.folder, 0o700)
        try await node.start()
        chmod(node.folder, mode)
        try await expectRefusal(lab, ["status"], node.folder, "chmod 700")
      }
    }

    @Test("A symbolic link to a folder is refused, however its path ends")
    func link() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let link = lab.newPath()
        try #require(symlink(node.folder, link) == 0)
        for path in [link, link + "/", link + "/.", link + "//"] {
          for arguments in [run, make, ["status"]] { try await expectRefusal(lab, arguments, path, "symbolic link") }
        }
        // A link further up is the person's business.
        let upper = lab.newPath()
        try #require(symlink(lab.folder, upper) == 0)
        let name = try #require(node.folder.split(separator: "/").last)
        let result = try await lab.latchkey(["status", "--state-dir", upper + "/" + name])
        #expect(result.status == 69, "\(result)")
      }
    }

    @Test(
      "A file that other users may access, or that is not a regular file, is refused",
      arguments: [
        "node.json", "latchkey.sqlite", "latchkey.sqlite-wal", "latchkey.sqlite-reserve", "lock", "identity.key",
      ])
    func files(name: String) async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let (path, aside) = (node.folder + "/" + name, lab.newPath())
        if access(path, F_OK) != 0 {
          let file = creat(path, 0o600)
          try #require(file >= 0)
          close(file)
        }
        for mode in [0o644, 0o660, 0o602] as [UInt32] {
          chmod(path, mode)
          try await expectRefusal(lab, run, node.folder, "chmod 600")
        }
        chmod(path, 0o600)
        if name != "identity.key" {
          try #require(Glibc.link(path, aside) == 0)
          try await expectRefusal(lab, run, node.folder, "2 names")
          unlink(aside)
        }
        try #require(rename(path, aside) == 0 && symlink(aside, path) == 0)
        try await expectRefusal(lab, run, node.folder, "symbolic link")
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        try await expectRefusal(lab, run, node.folder, "not a plain file")
        unlink(path)
        try #require(rename(aside, path) == 0)
        try await node.start()
      }
    }

    @Test("An empty own folder that others may read becomes private, and one that they may change is refused")
    func empty() async throws {
      try await ProcessLab.run { lab in
        let folder = lab.newPath()
        mkdir(folder, 0o700)
        chmod(folder, 0o777)
        try await expectRefusal(lab, make, folder, "chmod 700")
        chmod(folder, 0o755)
        let made = try await lab.latchkey(make + ["--state-dir", folder])
        #expect(made.status == 0 && made.talk.contains("had mode 755"), "\(made)")
        #expect(mode(folder) == 0o700)
      }
    }

    /// Tests that need two users.
    @Suite(.enabled(if: geteuid() == 0, "only root can give files away; run Tools/test by sudo"))
    struct ForeignAsRoot {
      private let tests = FolderRightsTests()

      @Test("Another user's folder is refused, and so is one that any user may write to")
      func foreign() async throws {
        try await ProcessLab.run(asRoot: true) { lab in
          let folder = lab.newPath()
          mkdir(folder, 0o700)
          chmod(folder, 0o777)
          chown(folder, 65_534, 65_534)
          try await tests.expectRefusal(lab, tests.make, folder, "belongs to user 65534")
          let node = try await lab.node(.parent, "Kitchen laptop")
          for name in ["node.json", "latchkey.sqlite", "lock", "identity.key"] {
            chown(node.folder + "/" + name, 65_534, 65_534)
            try await tests.expectRefusal(lab, tests.run, node.folder, "belongs to user 65534")
            chown(node.folder + "/" + name, 0, 0)
          }
          chown(node.folder, 65_534, 65_534)
          try await tests.expectRefusal(lab, tests.run, node.folder, "belongs to user 65534")
        }
      }
    }

    @Test("An ancestor folder in which others may replace the folder is reported")
    func parent() async throws {
      try await ProcessLab.run { lab in
        let upper = lab.newPath()
        mkdir(upper, 0o700)
        chmod(upper, 0o777)
        let node = NodeProcess(lab: lab, folder: upper + "/state", name: "Kitchen laptop")
        let made = try await node.latchkey(make)
        #expect(made.status == 0 && made.talk.contains("may change \(upper): run `chmod +t`"), "\(made)")
        try await node.start()
        #expect(try await node.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("may change \(upper)") })
        // It goes at once, without a restart.
        chmod(upper, 0o1777)
        #expect(try await node.api.ask(Endpoints.getStatus).warnings.isEmpty)
      }
    }

    @Test("Every file of a node is private to its user, whatever the process's mask is")
    func mask() async throws {
      try await ProcessLab.run { lab in
        let node = NodeProcess(lab: lab, folder: lab.newPath(), name: "Kitchen laptop")
        await node.use([:], launcher: ["/bin/sh", "-c", #"umask 0; exec "$0" "$@""#])
        let made = try await node.latchkey(make)
        #expect(made.status == 0, "\(made)")
        try await node.start()
        let names = try FileManager.default.contentsOfDirectory(atPath: node.folder)
        #expect(
          Set(names).isSuperset(of: ["control.sock", "latchkey.sqlite", "latchkey.sqlite-wal", "lock", "node.json"]))
        for name in names { #expect(mode(node.folder + "/" + name) & 0o077 == 0, "\(name)") }
        #expect(mode(node.folder) == 0o700)
      }
    }

    @Test("The next start removes the remains of an interrupted write of the key file")
    func leftovers() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        let leftover = node.folder + "/.identity.key.0123456789abcdef"
        try #require(Glibc.link(node.folder + "/identity.key", leftover) == 0)
        try await node.start()
        #expect(access(leftover, F_OK) != 0)
      }
    }
  }
}
