import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import Testing

extension ProcessTests {
  /// As whom nodes run.
  ///
  /// Every node that a test starts is held to this; see `ProcessRights.record`.
  @Suite struct RightsTests {
    @Test("The nodes of an ordinary user pair and relay without capabilities")
    func ordinary() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        for node in [parent, child] {
          let rights = try ProcessRights(of: #require(await node.pid))
          #expect(rights.user == geteuid() && rights.user != 0)
          #expect(rights.capabilities.allSatisfy { $0 == "0" })
        }
        let command = try await parent.issue(.message("Dinner at six"), to: "Emma's PC")
        #expect(try await parent.ended(command).status == .executed)
      }
    }

    @Test("In a lab with all capabilities, a node cannot do anything that needs one")
    func insideALab() async throws {
      try await ProcessLab.run { lab in
        let network = try #require(try await PlantedNetwork.make(lab))
        let node = try await network.node(.parent, "Kitchen laptop")
        try await node.start()
        let rights = try ProcessRights(of: #require(await node.pid))
        #expect(rights.user == geteuid() && !rights.isPrivileged)
      }
    }

    @Test("A process with a capability is distinguished from one without")
    func privileged() async throws {
      try await ProcessLab.run { lab in
        let output = lab.newPath()
        let command = Namespaces.make() + ["sh", "-c", "echo ready; exec sleep infinity"]
        let process = try lab.spawn(
          command[0], Array(command.dropFirst()), output: output, talk: output + ".err")
        try await eventually("it runs") { ProcessLab.read(output) == "ready\n" }
        let rights = try ProcessRights(of: process.pid)
        #expect(throws: LabFault.self) { try rights.refusePrivileges(of: "a node") }
      }
    }
  }

  /// Tests that need two users.
  @Suite(.enabled(if: geteuid() == 0, "only root can act as two users; run Tools/test by sudo"))
  struct FoldersAsRoot {
    @Test("Another user's folder is refused and not changed")
    func anotherUser() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let node = try await lab.node(.parent, "Kitchen laptop")
        chmod(lab.folder, 0o755)
        let files = try FileManager.default.subpathsOfDirectory(atPath: node.folder).sorted()
        let before = files.map { FileManager.default.contents(atPath: node.folder + "/" + $0) }
        for arguments in [
          ["run", "--interfaces", "lo", "--no-discovery"], ["status"], ["init", "--role", "parent", "--name", "x"],
        ] {
          let result = try await lab.run(
            BuiltProgram.tools + "/as-user", [BuiltProgram.path] + arguments + ["--state-dir", node.folder])
          #expect([69, 77].contains(result.status), "\(result)")
          #expect(result.talkLines.count == 1 && result.talk.hasPrefix("latchkey: "), "\(result)")
          #expect(result.output.isEmpty, "\(result)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: node.folder).sorted() == files)
        #expect(files.map { FileManager.default.contents(atPath: node.folder + "/" + $0) } == before)
      }
    }
  }
}
