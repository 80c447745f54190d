import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem
import Testing

extension ProcessTests {
  /// Programs of an account that block whoever reads their files in /proc, before root's agent.
  @Suite(
    .enabled(if: geteuid() == 0, "only root looks at others' programs; run Tools/test by sudo"),
    .enabled(if: Cage.isPossible, "control groups of the second version cannot be mounted here"),
    .enabled(if: access("/dev/fuse", F_OK) == 0, "this kernel has no FUSE"))
  struct UnreadableAsRoot {
    /// A program that has processes of a user block their readers.
    private static let server = BuiltProgram.tools + "/../Tests/Nested/support/blockers"

    @Test("One is left out and killed, and a blocked game is killed all the same")
    func blocked() async throws {
      try await withServer(of: 1) { cage, agent, _ in
        try await cage.hear(agent, "the parent is told") {
          if case .unreadable(cage.child, 1) = $0 { true } else { false }
        }
        for _ in 0..<3 {
          let game = try cage.play(["60"])
          #expect(await game.wait() == .signalled(SIGKILL))
        }
      }
    }

    @Test("With several, everything of the account is killed until they have ended, and nothing afterwards")
    func blinding() async throws {
      try await withServer(of: 4) { cage, agent, server in
        let other = try cage.run(["/bin/sleep", "600"])
        #expect(await other.wait() == .signalled(SIGKILL))
        try await cage.hear(agent, "the parent is told of all") {
          if case .unreadable(cage.child, 4) = $0 { true } else { false }
        }
        server.signal(SIGKILL)
        _ = await server.wait()
        try await eventually("a program goes on") {
          let other = try cage.run(["/bin/sleep", "7"])
          return await other.wait() == .exited(0)
        }
      }
    }

    /// Runs a test with an agent whose orders block the game, while a server has so many processes
    /// of the child's wait.
    private func withServer(of count: Int, _ body: (Cage, Cage.Agent, SpawnedProcess) async throws -> Void) async throws
    {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab)
        defer { cage.remove() }
        let agent = try await cage.agent()
        try cage.order(agent, 1, closesAt: BootClock.now(), step: .close)
        try await cage.hear(agent, "the orders hold") { if case .inForce(1) = $0 { true } else { false } }
        let output = lab.newPath() + ".out"
        let server = try lab.spawn(
          "python3", [Self.server, "\(cage.child)", "\(count)"], output: output, talk: output + ".err")
        try await eventually("they wait") {
          guard server.isRunning else { throw LabFault("the server ended: \(ProcessLab.read(output + ".err"))") }
          return ProcessLab.read(output) == "waiting\n"
        }
        try await body(cage, agent, server)
      }
    }
  }
}
