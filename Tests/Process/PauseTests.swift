import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

extension ProcessTests {
  /// Programs that root's agent freezes, in control groups of this machine's.
  @Suite(
    .enabled(if: geteuid() == 0, "only root can freeze programs of others; run Tools/test by sudo"),
    .enabled(if: Cage.isPossible, "control groups of the second version cannot be mounted here"))
  struct PauseAsRoot {
    @Test(
      "A frozen program stays so whatever its account does and although the agent is killed, goes on when it may, and dies when moved out"
    )
    func paused() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab)
        defer { cage.remove() }
        var agent = try await cage.agent()
        try cage.order(agent, 1, closesAt: nil)
        let game = try cage.play()
        try await cage.hear(agent, "it runs") { if case .began = $0 { true } else { false } }
        try cage.order(agent, 2, closesAt: BootClock.now())
        try await cage.hear(agent, "it was frozen") { if case .closed(_, .paused, _, _) = $0 { true } else { false } }
        try await eventually("it is frozen") { cage.isFrozen(game) }

        kill(game.pid, SIGCONT)
        let thaw = try await cage.asChild("echo 0 >\(cage.group(of: game))/cgroup.freeze", agent)
        let move = try await cage.asChild("echo \(game.pid) >\(cage.mount)/cgroup.procs", agent)
        #expect(thaw.status != 0 && move.status != 0, "\(thaw) \(move)")
        #expect(cage.isFrozen(game))

        // Another run of the agent knows it again.
        kill(agent.process.pid, SIGKILL)
        _ = await agent.process.wait()
        #expect(cage.isFrozen(game))
        agent = try await cage.agent()
        try await cage.hear(agent, "its orders hold again") { if case .inForce(2) = $0 { true } else { false } }
        #expect(cage.isFrozen(game))
        try cage.order(agent, 3, closesAt: nil)
        try await cage.hear(agent, "it runs again") { if case .began = $0 { true } else { false } }
        #expect(game.isRunning && !cage.isFrozen(game))

        // What the service manager may do for a child: the program is out, and runs.
        try cage.order(agent, 4, closesAt: BootClock.now())
        try await cage.hear(agent, "it was frozen again") {
          if case .closed(_, .paused, _, _) = $0 { true } else { false }
        }
        try await eventually("it is frozen again") { cage.isFrozen(game) }
        let moved = try await lab.run(
          "nsenter",
          ["--target", "\(agent.process.pid)", "--mount", "sh", "-c", "echo \(game.pid) >\(cage.mount)/cgroup.procs"])
        #expect(moved.status == 0, "\(moved)")
        #expect(await game.wait() == .signalled(SIGKILL))
      }
    }

    @Test("What a program copies itself into while it is frozen goes on no more than itself", arguments: [true, false])
    func forked(hasEvents: Bool) async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab, game: "/usr/bin/python3")
        defer { cage.remove() }
        let agent = try await cage.agent(hasEvents: hasEvents)
        try cage.order(agent, 1, closesAt: nil)
        // Each copy ends with the first program.
        let script = """
          import ctypes, os, time
          for _ in range(400):
              if os.fork() == 0:
                  ctypes.CDLL(None).prctl(1, 9)
                  while True: time.sleep(1)
              time.sleep(0.005)
          while True: time.sleep(1)
          """
        let game = try cage.play(["-c", script], ["PYTHONHOME": "/usr"])
        try await cage.hear(agent, "it runs") { if case .began = $0 { true } else { false } }
        try cage.order(agent, 2, closesAt: BootClock.now() + 300)
        try await cage.hear(agent, "it was frozen") {
          if case .closed(let use, .paused, _, _) = $0 { use.process.processID == game.pid } else { false }
        }
        try await eventually("all of it is frozen") {
          try cage.players().allSatisfy { try cage.isJailed($0) }
        }
        #expect(cage.isFrozen(game))
        try cage.order(agent, 3, closesAt: nil)
        try await eventually("all of it goes on") { try !cage.players().contains { try cage.isJailed($0) } }
        #expect(game.isRunning)
      }
    }
  }
}
