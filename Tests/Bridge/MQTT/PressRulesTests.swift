import LatchkeyModel
import Testing

@testable import LatchkeyBridge

/// Which messages are carried out: Protocol/14-bridge.md §4.
@Suite struct PressRulesTests {
  private static let now: Int64 = 1_795_000_000_000
  private var rules = PressRules([.grant, .lock])

  private enum Decision: Hashable {
    case take(Press)
    case refuse(PressRules.Refusal)
  }

  /// Decides about a message at `now`, an hour after the bridge began to serve the child.
  private mutating func decide(
    _ text: String, _ right: ReceiverRight = .grant, isRetained: Bool = false, later: Int64 = 0, since: Int64 = 0
  ) -> Decision {
    let decision = rules.decide(
      MQTTMessage(topic: "", payload: Array(text.utf8), isRetained: isRetained), child: "ab12", right,
      wall: Self.now + later, boot: 3_600_000 + later, since: since)
    return switch decision {
    case .take(let read): .take(read.press)
    case .refuse(let refusal): .refuse(refusal)
    }
  }

  private func press(_ minutes: Int = 15, at offset: Int64 = 0) -> String {
    "{\"minutes\":\(minutes),\"at\":\(Self.now + offset)}"
  }

  @Test("The same message 200 times is one press, and another time is another press")
  mutating func duplicates() {
    #expect(decide(press()) == .take(.grant(minutes: 15)))
    for _ in 0..<200 { #expect(decide(press()) == .refuse(.seen)) }
    #expect(decide(press(at: 1)) == .take(.grant(minutes: 15)))
    #expect(decide("{\"on\":true,\"at\":\(Self.now)}", .lock) == .take(.lock(true)))
    // Of another form, but with the same mark of its own.
    #expect(decide("{\"minutes\":5,\"at\":\(Self.now),\"id\":\"x\"}") == .take(.grant(minutes: 5)))
    #expect(decide("{\"at\":\(Self.now + 2),\"id\":\"x\",\"minutes\":6}") == .refuse(.seen))
  }

  @Test("A retained press is refused however new it is, and one without a right is")
  mutating func retained() {
    for _ in 0..<50 { #expect(decide(press(), isRetained: true) == .refuse(.retained)) }
    #expect(decide(press()) == .take(.grant(minutes: 15)))
    #expect(decide("{\"points\":5,\"at\":\(Self.now)}", .points) == .refuse(.notAllowed))
  }

  @Test(
    "A press is taken within a minute of its time",
    arguments: [(-60_000, true), (60_000, true), (-60_001, false), (60_001, false)])
  mutating func window(offset: Int64, isTaken: Bool) {
    let decision = decide(press(at: offset))
    #expect(decision == (isTaken ? .take(.grant(minutes: 15)) : .refuse(.stale(-offset))))
  }

  @Test("A clock that is years off is told to a person, and one that is a little slow is not")
  mutating func clocks() throws {
    let years = PressRules.Refusal.stale(3 * 365 * 86_400_000)
    #expect(try #require(years.clockFault).contains("set the clock"))
    #expect(PressRules.Refusal.stale(90_000).clockFault == nil)
    for text in [
      "{\"minutes\":15,\"at\":\(Int64.min)}", "{\"minutes\":15,\"at\":\(Int64.max)}", "{\"minutes\":15,\"at\":0}",
    ] {
      guard case .refuse(let refusal) = decide(text) else {
        Issue.record("\(text) was taken")
        continue
      }
      #expect(refusal.clockFault != nil, "\(text)")
    }
  }

  @Test("What was pressed before the bridge served the child is not done: another parent's may have done it")
  mutating func early() {
    #expect(decide(press(at: -5_000), since: 3_600_000 - 4_000) == .refuse(.early))
    #expect(decide(press(at: -3_000), since: 3_600_000 - 4_000) == .take(.grant(minutes: 15)))
  }

  @Test("The node knows a press by the same key in each run, and another one by another")
  func keys() throws {
    func key(_ text: String, child: String = "ab12", _ right: ReceiverRight = .grant) throws -> String {
      try #require(Press.read(Array(text.utf8), child: child, right)).key
    }
    // From ahead of the clock, as a bridge may see it again after its restart.
    let ahead = try key(press(at: 40_000))
    #expect(try ahead == key(press(at: 40_000)) && ahead.utf8.count == 32)
    #expect(try ahead != key(press(at: 40_001)))
    #expect(try ahead != key(press(at: 40_000), child: "ab13"))
    let own = "{\"minutes\":5,\"on\":true,\"at\":1,\"id\":\"x\"}"
    #expect(try key(own) == key("{\"at\":2,\"id\":\"x\",\"minutes\":6}"))
    #expect(try key(own) != key(own, .lock))
  }

  @Test("Memory is bounded: more presses than are remembered are refused, and taken again after two minutes")
  mutating func bound() {
    for number in 0..<PressRules.mostMarks { #expect(decide(press(at: Int64(number))) == .take(.grant(minutes: 15))) }
    #expect(decide(press(at: 5_000)) == .refuse(.tooMany))
    let later = 2 * PressRules.window + 1
    #expect(decide(press(at: later), later: later) == .take(.grant(minutes: 15)))
  }

  @Test(
    "What is malformed is refused",
    arguments: [
      "", "ON", "15", "null", "[]", "{}", "{\"minutes\":15}", "{\"at\":1795000000000}",
      "{\"minutes\":0,\"at\":1795000000000}", "{\"minutes\":-15,\"at\":1795000000000}",
      "{\"minutes\":1441,\"at\":1795000000000}", "{\"minutes\":\"15\",\"at\":1795000000000}",
      "{\"minutes\":15,\"at\":\"now\"}", "{\"minutes\":1e99,\"at\":1795000000000}",
      "{\"minutes\":15,\"at\":1795000000000,\"id\":\"\"}",
      "{\"minutes\":15,\"at\":1795000000000,\"x\":\"" + String(repeating: "x", count: 1_024) + "\"}",
    ])
  mutating func malformed(text: String) { #expect(decide(text) == .refuse(.malformed)) }

  @Test("Each right has its own members")
  func members() throws {
    func read(_ text: String, _ right: ReceiverRight) -> Press? {
      Press.read(Array(text.utf8), child: "ab12", right)?.press
    }
    #expect(read("{\"on\":false,\"at\":1}", .lock) == .lock(false))
    #expect(read("{\"minutes\":15,\"at\":1}", .lock) == nil)
    #expect(
      read("{\"request\":\"01a2\",\"yes\":true,\"minutes\":20,\"at\":1}", .answer)
        == .answer(request: "01a2", isApproved: true, minutes: 20))
    #expect(read("{\"request\":\"01a2\",\"yes\":false,\"minutes\":20,\"at\":1}", .answer) == nil)
    #expect(read("{\"request\":\"01\",\"yes\":true,\"at\":1}", .answer) == nil)
    #expect(
      read("{\"points\":2.5,\"at\":1,\"reason\":\"dishes\"}", .points) == .points(milliPoints: 2_500, reason: "dishes"))
    #expect(read("{\"points\":-1,\"at\":1}", .points) == nil)
  }
}
