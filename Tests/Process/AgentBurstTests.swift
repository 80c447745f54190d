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

    private static let storm = BuiltProgram.tools + "/../Tests/Nested/support/storm"

    // How long the last one lived is printed: a slow machine that runs other tests beside this one
    // proves nothing about it.
    @Test("Of many starts of a blocked program, each is killed")
    func burst() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([
          ("app/kart/matchers", "sha256 \(try await home.digest())\npath \(home.game)"), ("app/kart/blocked", "yes"),
        ])
        for beside in [0, Length.pick(500, thorough: 2_000)] {
          let starts = Length.pick(200, thorough: 10_000)
          let result = try await lab.run(
            "/usr/bin/python3", [Self.storm, home.game, "\(starts)", "\(beside)"])
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
