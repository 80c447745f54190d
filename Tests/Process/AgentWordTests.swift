import LatchkeyAgentProtocol
import LatchkeyControl
import LatchkeyModel
import Testing

extension ProcessTests {
  /// What an agent says and a family reads: Protocol/13-agent.md §5, §6.
  @Suite struct AgentWordTests {
    /// A parent's node and a child's, whose agent stands in for one of the system.
    private func family(
      _ lab: ProcessLab, _ makeAgent: (NodeProcess) throws -> FakeAgent
    ) async throws -> (mum: NodeProcess, pc: NodeProcess, agent: FakeAgent) {
      let mum = try await lab.runningNode(.parent, "Kitchen laptop")
      let pc = try await lab.node(.child, "Emma's PC")
      let agent = try makeAgent(pc)
      await pc.enforce()
      try await pc.start()
      try await lab.pair(mum, pc)
      _ = try await mum.api.rename(device: pc.name, RenameRequest(childName: "Emma"))
      return (mum, pc, agent)
    }

    @Test("Parents are told for a day that events were lost")
    func eventsLost() async throws {
      try await ProcessLab.run { lab in
        let (mum, _, agent) = try await family(lab) { try FakeAgent(of: $0) }
        defer { agent.stop() }
        agent.tell(.rescanned)
        try await eventually("the parent is told") {
          try await mum.api.conditions().contains { $0.condition.name == "events-lost" }
        }
        let doctor = try await mum.latchkey(["doctor"])
        #expect(doctor.output.contains("the kernel could not tell the agent of all of them"), "\(doctor)")
      }
    }
  }
}
