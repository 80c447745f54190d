import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What a node says of enforcement: Protocol/13-agent.md §5.
@Suite struct EnforcementStateTests {
  private let state = EnforcementState()
  private let accounts = [AccountOrders(account: 1_000, programs: [])]
  private let hello = AgentHello(run: 1, isSystem: false, hasEvents: false, user: 1_000, boot: "b", orders: nil)
  private let edit: CommandID
  private let other: CommandID

  init() {
    var random = SeededRandom(seed: 3)
    (edit, other) = (Samples.commandID(&random), Samples.commandID(&random))
  }

  private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  private var number: UInt64 { state.orders(boot: "b", at: at(0))?.number ?? 0 }

  /// Returns the answer to an edit now, without waiting.
  private func answer(_ edit: CommandID) async -> Enforcement {
    await confirmation(of: edit).degree
  }

  private func confirmation(of edit: CommandID) async -> EnforcementState.Confirmation {
    await state.confirmation(of: edit, until: at(0))
  }

  @Test("What the agent sees of people may change after its greeting, and who waits for changes hears of it")
  func senses() {
    state.sees(sessions: true, input: true)
    #expect(state.agent == nil)
    state.connected(hello)
    let seen = state.changes.version
    state.sees(sessions: true, input: false)
    #expect(state.agent?.hasSessions == true && state.agent?.hasInput == false && state.changes.version != seen)
    let later = state.changes.version
    state.sees(sessions: true, input: false)
    #expect(state.changes.version == later)
  }

  @Test(
    "What an agent does not carry out is known once it has said so of this run's orders, and unknown again with the next agent"
  )
  func heard() {
    state.order(accounts, at: at(0))
    #expect(!state.isAgentHeard)
    state.connected(hello)
    #expect(!state.isAgentHeard)
    // The orders that it had from an earlier run, whatever their number.
    state.inForce(number - 1, but: [OrderFault(.notKept, account: 0)])
    #expect(!state.isAgentHeard)
    let seen = state.changes.version
    state.inForce(number, but: [OrderFault(.notKept, account: 0)])
    #expect(
      state.isAgentHeard && state.changes.version != seen,
      "Who waits for changes hears of it, although the fault is the same.")
    let later = state.changes.version
    state.inForce(number, but: [OrderFault(.notKept, account: 0)])
    #expect(state.changes.version == later)
    state.connected(hello)
    #expect(!state.isAgentHeard)
    state.setTooLarge(true)
    #expect(state.isAgentHeard, "It is given none, so that it has nothing to say.")
    state.connected(nil)
    #expect(!state.isAgentHeard)
  }

  @Test("Who tells conditions hears of what nothing is recognized as, also where the orders stay the same")
  func unordered() throws {
    let kart = try #require(AppID("kart"))
    let seen = state.changes.version
    state.decided(UnorderedApps())
    #expect(state.changes.version == seen)
    state.decided(UnorderedApps(unrecognized: [kart]))
    let told = state.changes.version
    #expect(told != seen)
    state.decided(UnorderedApps(unrecognized: [kart]))
    #expect(state.changes.version == told)
    state.decided(UnorderedApps(ofOwnEntries: [kart], ofOwnFiles: [kart]))
    #expect(state.changes.version != told)
  }

  @Test("An edit is enforced once orders are confirmed that were made after it, even if nothing else changed")
  func confirmed() async {
    state.connected(hello)
    state.order(accounts, at: at(0))
    #expect(state.confirmed == .recorded)
    let first = number
    state.inForce(first)
    #expect(state.confirmed == .ownPrograms)
    #expect(await answer(edit) == .recorded, "Nothing was decided after it.")
    state.order(accounts, following: [edit], at: at(10))
    #expect(number == first + 1, "The agent is asked again.")
    #expect(await answer(edit) == .recorded)
    state.order(accounts, following: [edit], at: at(20))
    #expect(number == first + 1, "Once.")
    state.inForce(number)
    #expect(await answer(edit) == .ownPrograms)
    #expect(await answer(other) == .recorded)
    state.order(accounts, following: [edit, other], at: at(30))
    #expect(await answer(edit) == .ownPrograms, "It stays so for what was confirmed.")
    #expect(await answer(other) == .recorded)
    state.connected(nil)
    #expect(await answer(edit) == .recorded, "There is no agent.")
    state.connected(hello)
    state.inForce(number)
    #expect(await answer(other) == .ownPrograms)
  }

  @Test("What the orders after an edit recognize is known also when they have closed it")
  func recognized() async throws {
    let kart = ProgramOrder(
      app: try #require(AppID("kart")), category: .reward, terms: ProgramTerms(),
      matchers: [AppMatcher(kind: .path, value: "/usr/games/kart")])
    let playing = [AccountOrders(account: 1_000, programs: [kart])]
    state.connected(hello)
    state.order(playing, following: [edit], at: at(0))
    #expect(await confirmation(of: edit).apps.isEmpty, "The agent has not confirmed them.")
    state.order(accounts, following: [edit], at: at(10))
    state.inForce(number)
    #expect(await confirmation(of: edit).apps == [kart.app])
    state.order(accounts, following: [edit, other], at: at(20))
    state.inForce(number)
    #expect(await confirmation(of: edit).apps == [kart.app])
    #expect(await confirmation(of: other).apps.isEmpty, "It was made afterwards.")
  }

  @Test("Edits wait for an agent that is connected or starting, and for no other one")
  func starting() async {
    #expect(!state.awaitsAgent(at: at(0)), "None is to be.")
    await state.agentHasStarted()
    state.expectAgent(at: at(0))
    #expect(state.awaitsAgent(at: at(9_999)) && !state.awaitsAgent(at: at(10_000)))
    await state.agentHasStarted()
    state.connected(hello)
    #expect(state.awaitsAgent(at: at(60_000)))
    state.connected(nil, at: at(60_000))
    #expect(state.awaitsAgent(at: at(69_999)) && !state.awaitsAgent(at: at(70_000)))
    state.expectAgent(at: BootClock.now())
    async let started: Void = state.agentHasStarted()
    state.connected(hello)
    await started
    #expect(state.agent == hello)
  }

  @Test("What an agent says of an earlier run's orders, and orders for nobody, enforce nothing")
  func unrelated() async {
    state.connected(hello)
    state.order(accounts, following: [edit], at: at(0))
    state.inForce(1)
    state.inForce(number + 1)
    #expect(await answer(edit) == .recorded)
    #expect(state.confirmed == .recorded && state.enforcement(at: at(0)) == .recorded)
    state.order([], following: [edit], at: at(1))
    state.inForce(number)
    #expect(await answer(edit) == .recorded)
  }

  @Test("What is shown has a moment for new orders, and no more")
  func shown() {
    state.connected(hello)
    state.order(accounts, at: at(0))
    #expect(state.enforcement(at: at(0)) == .recorded, "It has confirmed nothing yet.")
    state.inForce(number)
    state.order(accounts, following: [edit], at: at(10_000))
    #expect(state.enforcement(at: at(11_999)) == .ownPrograms && state.confirmed == .recorded)
    #expect(state.enforcement(at: at(12_000)) == .recorded)
  }

  @Test("Who waits for the agent hears at once when it has confirmed the orders")
  func waiting() async {
    state.connected(hello)
    state.order(accounts, following: [edit], at: at(0))
    async let answer = state.confirmation(of: edit, until: BootClock.now() + 600_000)
    state.inForce(number)
    #expect(await answer.degree == .ownPrograms)
  }

  @Test("The reasons of orders are in the machine's language, and are found again by their words")
  func reasons() throws {
    let german = EnforcementState(language: try #require(Language.named("de")))
    let bedtime = Phrase("{rule} until {time}", ["rule": .phrase(Phrase("bedtime")), "time": "07:00"])
    #expect(german.words(for: bedtime) == "Schlafenszeit bis 07:00")
    #expect(german.phrase(of: "Schlafenszeit bis 07:00") == bedtime)
    #expect(german.phrase(of: "something else").worded() == "something else")
    #expect(state.words(for: bedtime) == "bedtime until 07:00")
  }
}
