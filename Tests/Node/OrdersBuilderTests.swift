import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What follows for an agent from what holds for a child: Protocol/13-agent.md §4.
@Suite struct OrdersBuilderTests {
  private let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))

  private func orders(_ change: (inout RuleSet) -> Void, isSystem: Bool) -> AccountOrders {
    var rules = RuleSet()
    change(&rules)
    let state = EnforcementState()
    state.connected(AgentHello(run: 1, isSystem: isSystem, hasEvents: false, user: 1_000, boot: "b", orders: nil))
    let situation = Situation(
      boot: BootInstant(milliseconds: 1_000_000), time: 1_795_446_000_000,
      day: rules.boundary.day(containing: 1_795_446_000_000))
    let standing = ChildStanding(
      child: child, plan: DayPlan(rules, for: situation), situation: situation, running: [])
    let tracked = [UInt32(1_000): [AppID.unknownPrograms: [ProcessIdentity(processID: 7, startTime: 1)]]]
    return OrdersBuilder(standing: standing, state: state, tracked: tracked).orders(for: 1_000)
  }

  @Test("The system's agent reports unknown programs that merely count, and closes them at no time")
  func counted() {
    for isLocked in [false, true] {
      let counted = orders({ $0.lock = isLocked ? .on : .off }, isSystem: true)
      #expect(counted.unknown == ProgramTerms())
      #expect(counted.programs.isEmpty, "They are no application that matchers recognize.")
      #expect(orders({ $0.lock = isLocked ? .on : .off }, isSystem: false).unknown == nil)
    }
  }

  @Test(
    "Unknown programs that are rewards close with the rewards, and blocked ones are closed", arguments: [false, true])
  func closed(isSystem: Bool) throws {
    let reward = orders({ $0.unknownPrograms = .reward }, isSystem: isSystem)
    #expect(try #require(reward.unknown).reason == "An unknown program: no points are left")
    #expect(reward.unknown?.closesAt != nil)
    let free = orders({ ($0.unknownPrograms, $0.mode) = (.reward, .limits) }, isSystem: isSystem)
    #expect(free.unknown == ProgramTerms())
    let blocked = orders({ $0.unknownPrograms = .block }, isSystem: isSystem)
    #expect(try #require(blocked.unknown).closesAt != nil)
  }
}
