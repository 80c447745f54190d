import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Many starts of a blocked program in a row, beside many other processes.
  @Suite struct AgentBurstTests {
    /// What the parent of the started programs has counted.
    private struct Count: Decodable, CustomStringConvertible {
      let beside: Int
      let started: Int
      let killed: Int
      let overTwoSeconds: Int
      let worstMilliseconds: Int
      let medianMilliseconds: Int
      let seconds: Double

      var description: String {
        "\(started) starts in \(seconds) s beside \(beside) processes: \(killed) killed, half of them within "
          + "\(medianMilliseconds) ms, the last within \(worstMilliseconds) ms; \(overTwoSeconds) lived for 2 s"
      }
    }

    /// Starts others, then the program again and again, and waits for each of them by its number.
    private static let parent = """
      import json, os, signal, sys, time
      game, starts, beside = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
      null = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
      others, begun, lived, killed = [], {}, [], 0
      def end(*_):
          for pid in others + list(begun): os.kill(pid, signal.SIGKILL)
          sys.exit(1)
      signal.signal(signal.SIGTERM, end)
      for _ in range(beside):
          others.append(os.posix_spawn("/bin/sleep", ["sleep", "300"], {}, file_actions=null))
      # What runs beside has been seen by the agent when it has looked twice.
      for _ in range(2):
          os.waitpid(os.posix_spawn(game, [game, "600"], {}, file_actions=null), 0)
      def reap(flags):
          global killed
          while begun:
              pid, status = os.waitpid(-1, flags)
              if pid == 0: return
              if pid not in begun: continue
              lived.append(time.monotonic() - begun.pop(pid))
              killed += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
      first = time.monotonic()
      for _ in range(starts):
          now = time.monotonic()
          begun[os.posix_spawn(game, [game, "600"], {}, file_actions=null)] = now
          reap(os.WNOHANG)
      reap(0)
      lived.sort()
      print(json.dumps({
          "beside": beside, "started": starts, "killed": killed, "overTwoSeconds": sum(one >= 2 for one in lived),
          "worstMilliseconds": round(lived[-1] * 1000), "medianMilliseconds": round(lived[len(lived) // 2] * 1000),
          "seconds": round(time.monotonic() - first, 1)}))
      for pid in others: os.kill(pid, signal.SIGKILL)
      for pid in others: os.waitpid(pid, 0)
      """

    // How long the last one lived is printed: a slow machine that runs other tests beside this one proves nothing about it.
    @Test("Of many starts of a blocked program, each is killed")
    func burst() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([
          ("app/kart/matchers", "sha256 \(try await home.digest())\npath \(home.game)"), ("app/kart/blocked", "yes"),
        ])
        for beside in [0, 2_000] {
          let starts = Length.pick(500, thorough: 10_000)
          let result = try await lab.run(
            "/usr/bin/python3", ["-c", Self.parent, home.game, "\(starts)", "\(beside)"])
          #expect(result.status == 0, "\(result)")
          let count = try result.decode(Count.self)
          print("Burst: \(count).")
          #expect(count.killed == starts, "\(count)")
        }
        // The agent is as it was, and the node has not counted any of it as use.
        #expect(try await home.mum.usage().isEmpty)
        #expect(try await home.play().wait() == .signalled(SIGKILL))
      }
    }
  }
}
