import Glibc
import LatchkeyModel
import Testing

extension ProcessTests {
  /// The metrics of a real node: Protocol/07-local-api.md §4.
  @Suite struct MetricsTests {
    @Test("What the agent closes, the connection, and the database's commits are in the metrics of a child's machine")
    func child() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)")])
        let game = try await home.survivor()
        try await home.set([("app/kart/blocked", "yes")])
        #expect(await game.wait() == .signalled(SIGTERM))
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("the metrics tell of it") {
          let metrics = try await home.pc.latchkey("metrics")
          guard metrics.status == 0 else { throw LabFault("\(metrics)") }
          let text = metrics.output
          // The first was asked to end, which is measured. The second began when it was closed.
          return text.contains("latchkey_programs_closed_total{deed=\"asked\"} 1\n")
            && text.contains("latchkey_programs_closed_total{deed=\"killed\"} 1\n")
            && text.contains("latchkey_enforcement_latency_seconds_count 1\n")
            && text.contains("latchkey_peers_connected{role=\"parent\"} 1\n")
            && text.contains("latchkey_agent_connected 1\n") && !text.contains("latchkey_database_writes_total 0\n")
        }
        let mum = try await home.mum.latchkey("metrics").output
        #expect(mum.contains("latchkey_peers{role=\"child\"} 1\n") && !mum.contains("latchkey_agent_connected"))
        #expect(!mum.contains("Emma") && !mum.contains("Kitchen"))
      }
    }
  }
}
