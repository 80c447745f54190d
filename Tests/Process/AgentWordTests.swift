import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
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
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      return (mum, pc, agent)
    }

    @Test("A node greets its agent before it gives it orders, each time that they meet")
    func greeted() async throws {
      try await ProcessLab.run { lab in
        let (_, _, agent) = try await family(lab) { try FakeAgent(of: $0) }
        defer { agent.stop() }
        for _ in 0..<8 {
          let before = agent.greetings.welcomes
          agent.hangUp()
          try await eventually("both meet again") { agent.greetings.welcomes > before }
        }
        #expect(agent.greetings.early == 0)
      }
    }

    @Test("Parents are told for a day that events were lost")
    func eventsLost() async throws {
      try await ProcessLab.run { lab in
        let (mum, _, agent) = try await family(lab) { try FakeAgent(of: $0) }
        defer { agent.stop() }
        agent.tell(.rescanned)
        try await eventually("the parent is told") {
          try await mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "events-lost" }
        }
        let doctor = try await mum.latchkey(["doctor"])
        #expect(doctor.output.contains("the kernel could not tell the agent of all of them"), "\(doctor)")
      }
    }

    @Test("Unknown programs that merely count are one session of screen time, and only while somebody is there")
    func unknownPrograms() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, agent) = try await family(lab) { try FakeAgent(of: $0) }
        defer { agent.stop() }
        try await eventually("the machine knows whose it is") {
          do { return try await pc.api.ask(Endpoints.getOwnToday).enforcement == .enforced } catch is LocalAPIError {
            return false
          }
        }
        // Twenty short programs, beside one that nobody uses at first.
        func use(_ process: Int32) -> ProgramUse {
          ProgramUse(
            account: geteuid(), app: nil, isWeak: true, process: ProcessIdentity(processID: process, startTime: 1))
        }
        let now = BootClock.now()
        agent.tell(.began(use(1_000), since: now, activity: 500))
        agent.tell(.active(use(1_000), milliseconds: 5_000, activity: 500))
        var clock: Int64 = 1_500
        agent.tell(.active(use(1_000), milliseconds: 6_000, activity: clock))
        for process in Int32(1)...20 {
          agent.tell(.began(use(process), since: now, activity: clock))
          clock += 1
          agent.tell(.ended(use(process), milliseconds: 1, activity: clock))
        }
        agent.tell(.active(use(1_000), milliseconds: 7_000, activity: clock))
        func unknown(_ node: NodeProcess) async throws -> AppToday? {
          try await node.api.ask(Endpoints.getToday, "Emma").apps.first { $0.displayName == "Unknown programs" }
        }
        let used = 1_000...1_020 as ClosedRange<Int64>
        try await eventually("what was used counts") { used.contains(try await unknown(pc)?.usedMilliseconds ?? 0) }
        let today = try await pc.api.ask(Endpoints.getToday, "Emma")
        #expect(
          used.contains(today.usedMilliseconds) && today.running.map(\.displayName) == ["Unknown programs"], "\(today)")
        #expect(try await unknown(pc)?.verdict.isAllowed == true)
        let status = try await pc.latchkey("status")
        #expect(status.output.contains("Unknown programs"), "\(status)")
        try await eventually("the parent sees it") { try await unknown(mum)?.category == .neutral }

        // A parent who treats them as rewards ends that.
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("unknownPrograms", "reward")])))
        try await mum.eventuallyHasUsage(1)
        let record = try #require(try await mum.usage().first)
        #expect(record.appID == .unknownPrograms && used.contains(record.activeMilliseconds), "\(record)")
        let usage = try await mum.latchkey("usage", "list")
        #expect(usage.output.contains("Unknown programs"), "\(usage)")
        #expect(try await mum.usage().count == 1)
      }
    }
  }
}
