import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem
import Testing

extension ProcessTests {
  /// Programs of an account that root's agent sees by the events of this machine's kernel.
  @Suite(
    .enabled(if: geteuid() == 0, "only root gets events of others' programs; run Tools/test by sudo"),
    .enabled(if: Cage.isPossible, "control groups of the second version cannot be mounted here"),
    .enabled(if: Cage.hasEvents, "the kernel gives no process events here, as in a container"))
  struct EventsAsRoot {
    /// The time of a game, in seconds: most would end by themselves between two looks, which are 5
    /// seconds apart.
    private static let seconds = "2"

    @Test("A blocked program that would end before the next look is killed, each time it starts")
    func closed() async throws {
      try await withAgent { cage, agent in
        for _ in 0..<12 {
          let game = try cage.play([Self.seconds])
          #expect(await game.wait() == .signalled(SIGKILL))
        }
        try await cage.hear(agent, "it was closed") { if case .closed(_, .killed, _, _) = $0 { true } else { false } }
      }
    }

    @Test("Of a thousand starts at once, each is killed")
    func burst() async throws {
      try await withAgent { cage, _ in
        let script = """
          import os, sys
          game = sys.argv[1]
          started = [os.posix_spawn(game, [game, "600"], {}) for _ in range(1000)]
          print(sum(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]) == -9 for one in started))
          """
        let output = cage.lab.newPath() + ".out"
        let starter = try cage.run(["python3", "-c", script, cage.game], output: output)
        #expect(await starter.wait() == .exited(0))
        #expect(ProcessLab.read(output) == "1000\n")
      }
    }

    @Test("What a program copies itself into after it was asked to end is killed at once, as long as it goes on itself")
    func copies() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab, game: "/usr/bin/python3")
        defer { cage.remove() }
        let agent = try await cage.agent()
        try #require(agent.hasEvents)
        try cage.order(agent, 1, closesAt: nil)
        let folder = lab.newPath()
        #expect(mkdir(folder, 0o755) == 0 && chown(folder, cage.child, cage.child) == 0)
        let script = """
          import os, signal, sys, time
          signal.signal(signal.SIGCHLD, signal.SIG_IGN)
          signal.signal(signal.SIGTERM, lambda *_: os.mkdir(sys.argv[1] + "/asked"))
          os.mkdir(sys.argv[1] + "/ready")
          while not os.path.exists(sys.argv[1] + "/asked"): time.sleep(0.01)
          time.sleep(0.2)
          while True:
              if os.fork() == 0:
                  time.sleep(1)
                  open(sys.argv[1] + "/survived", "w")
                  os._exit(0)
              open(sys.argv[1] + "/copied", "w")
              time.sleep(0.05)
          """
        let game = try cage.play(["-c", script, folder], ["PYTHONHOME": "/usr"])
        try await cage.hear(agent, "it runs") { if case .began = $0 { true } else { false } }
        try await eventually("it is ready to be asked") { FileManager.default.fileExists(atPath: folder + "/ready") }
        try cage.order(agent, 2, closesAt: BootClock.now(), step: .close)
        #expect(await game.wait() == .signalled(SIGKILL))
        try await eventually("none is left") { try cage.players().isEmpty }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == ["asked", "copied", "ready"])
      }
    }

    @Test("Programs of the system that end while they are looked at are no unknown ones")
    func brief() async throws {
      try await withAgent { cage, agent in
        try cage.order(agent, 2, closesAt: nil, unknown: ProgramTerms())
        try await cage.hear(agent, "the orders hold") { if case .inForce(2) = $0 { true } else { false } }
        let storm = """
          import os
          for _ in range(2000):
              for one in [os.posix_spawn("/bin/true", ["true"], {}) for _ in range(4)]: os.waitpid(one, 0)
          """
        let starter = try cage.run(["python3", "-c", storm])
        #expect(await starter.wait() == .exited(0))
        let own = cage.lab.newPath()
        try FileManager.default.copyItem(atPath: "/usr/bin/tail", toPath: own)
        #expect(chown(own, cage.child, cage.child) == 0)
        let unknown = try cage.run([own, "-f", "/dev/null"])
        var first: Int32?
        try await cage.hear(agent, "an unknown program is seen") { event in
          guard case .began(let use, _, _) = event, use.recorded == .unknownPrograms else { return false }
          first = use.process.processID
          return true
        }
        #expect(first == unknown.pid)
        kill(unknown.pid, SIGKILL)
      }
    }

    @Test("After more events than the kernel keeps, what began meanwhile is found, and the loss is told")
    func lost() async throws {
      try await withAgent { cage, agent in
        kill(agent.process.pid, SIGSTOP)
        let storm = """
          import os
          for _ in range(3000):
              os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
          """
        for _ in 0..<16 where !Self.haveBeenLost(of: agent.process.pid) {
          let starters = try (0..<2).map { _ in try cage.run(["python3", "-c", storm]) }
          for starter in starters { #expect(await starter.wait() == .exited(0)) }
        }
        try #require(Self.haveBeenLost(of: agent.process.pid))
        let game = try cage.play(["600"])
        try await eventually("the game runs") { try !cage.players().isEmpty }
        kill(agent.process.pid, SIGCONT)
        #expect(await game.wait() == .signalled(SIGKILL))
        try await cage.hear(agent, "the loss is told") { if case .rescanned = $0 { true } else { false } }
      }
    }

    /// Returns whether the kernel has dropped events of a process's, which it counts.
    private static func haveBeenLost(of process: pid_t) -> Bool {
      ProcessLab.read("/proc/net/netlink").split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 8 && fields[1] == "11" && fields[2] == "\(process)" && fields[8] != "0"
      }
    }

    /// Runs a test with an agent that has events, and orders by which the game is blocked.
    private func withAgent(_ body: (Cage, Cage.Agent) async throws -> Void) async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let cage = try Cage(lab)
        defer { cage.remove() }
        let agent = try await cage.agent()
        try #require(agent.hasEvents)
        try cage.order(agent, 1, closesAt: BootClock.now(), step: .close)
        try await cage.hear(agent, "the orders hold") { if case .inForce(1) = $0 { true } else { false } }
        try await body(cage, agent)
      }
    }
  }
}
