import Glibc
import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// When a child's machine tells what its orders recognize nothing as: Protocol/10-household.md §6.
@Suite struct ConditionNewsTests {
  private static let account: UInt32 = 4_000
  private static let kart = SampleValues.app("kart")

  /// Waits until the machine tells a condition of the application, for less than the time between
  /// two looks without news.
  private func awaits(_ condition: String, _ context: NodeContext) async throws -> Bool {
    let told = try await ChangeSignal().first(until: context.now() + 30_000, pace: 50) { () async throws -> Bool? in
      let list = try await context.store.inventory(MachineCondition.self, of: context.own)?.entries ?? []
      return list.contains(MachineCondition(condition, detail: Self.kart.text)) ? true : nil
    }
    return told == true
  }

  @Test("What a look at the installed applications changes is told at once, although the orders stay the same")
  func installed() async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      let (context, emma) = (home.service.context, home.children[0])
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      try await home.save([
        Register(.machine(context.own), HouseholdKey.account(Self.account), emma.description, modified: modified),
        Register(.child(emma), "programs", "listed", modified: modified),
        Register(.child(emma), "app/kart/category", "neutral", modified: modified),
      ])
      let usage = UsageService(context: context, directory: home.service.directory)
      let state = context.enforcementState
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask { await RulesService(context: context, usage: usage).run() }
        group.addTask { await ConditionService(context: context, directory: home.service.directory).run() }
        state.connected(
          AgentHello(
            run: 1, isSystem: false, hasEvents: false, user: Self.account, boot: context.bootID, orders: nil))
        context.changes.notify()
        let number = await state.changes.first(until: context.now() + 30_000) {
          state.orders(boot: context.bootID, at: context.now())?.number
        }
        state.inForce(try #require(number))
        #expect(try await awaits("rule-unrecognized", context))
        let orders = state.orderedAccounts
        let entry = InstalledMatchers([AppMatcher(kind: .path, value: "/home/emma/kart")], isOwn: true)
        _ = try await context.store.setInstalled(EntryList([]), matchers: [Self.kart: entry], at: context.wall())
        context.changes.notify()
        #expect(try await awaits("rule-own-file", context))
        #expect(state.orderedAccounts == orders)
      }
    }
  }
}
