import Testing

extension ProcessTests {
  /// What the program does before it does anything.
  @Suite struct ProgramStartTests {
    @Test(
      "The version and every help come without a thread",
      arguments: [["--version"], ["--help"], ["usage", "list", "--help"], ["explain", "-h"]])
    func withoutThreads(arguments: [String]) async throws {
      try await ProcessLab.run { lab in
        // A thread counts as a process, and this user has more than one already.
        let script = "ulimit -u 1 && exec \"$@\""
        let result = try await lab.run("/bin/bash", ["-c", script, "bash", BuiltProgram.path] + arguments)
        #expect(result.status == 0 && !result.output.isEmpty && result.talk.isEmpty, "\(result)")
      }
    }
  }
}
