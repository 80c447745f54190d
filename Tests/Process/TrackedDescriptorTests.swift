import Foundation
import LatchkeyModel
import Testing

extension ProcessTests {
  /// A tracked program has the descriptors that the terminal and the shell gave, and none of ours.
  @Suite struct TrackedDescriptorTests {
    private static let list = "ls /proc/$$/fd; true"

    /// Runs a command of bash's with the three streams and no other descriptor of this process's.
    private func bash(_ lab: ProcessLab, _ script: String) async throws -> CommandResult {
      let alone = "for ((d = 3; d < 1024; d++)); do eval \"exec $d>&-\"; done; "
      return try await lab.run("/bin/bash", ["-c", alone + script, "bash", Self.list])
    }

    @Test("A tracked program has its three streams and no other descriptor of `latchkey`")
    func streamsAlone() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let child = try await lab.runningNode(.child, "Emma's PC")
        let tracked = try await bash(
          lab, "exec \(BuiltProgram.path) usage track --state-dir \(child.folder) --app a.b -- /bin/bash -c \"$1\"")
        #expect(tracked.status == 0 && tracked.output == "0\n1\n2\n", "\(tracked)")
      }
    }

    @Test("Further descriptors that a shell redirects to the program reach it under any number")
    func redirections() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let child = try await lab.runningNode(.child, "Emma's PC")
        let file = lab.newPath()
        try Data("for the program\n".utf8).write(to: URL(fileURLWithPath: file))
        let tracked = try await bash(
          lab,
          "exec 3<\(file) 9>/dev/null 37<\(file) 900</dev/null; exec \(BuiltProgram.path) usage track "
            + "--state-dir \(child.folder) --app a.b -- /bin/bash -c \"cat <&37; cat <&3; $1\"")
        #expect(tracked.status == 0, "\(tracked)")
        #expect(
          tracked.output == "for the program\nfor the program\n0\n1\n2\n3\n37\n9\n900\n", "\(tracked)")
      }
    }
  }
}
