import FoundationEssentials
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

/// What is published of a child: Protocol/14-bridge.md §4.
@Suite struct ChildStateTests {
  private func day(
    screen: String, used: Int64 = 3_600_000, points: String = "", running: String = ""
  ) throws -> ChildToday {
    let text = """
      {"childID":"00112233-4455-7677-8899-aabbccddeeff","name":"Zoë's","day":"2026-11-29","zone":"Europe/Berlin",
       "at":1795000000000,"usedMilliseconds":\(used),"weekMilliseconds":0,"categories":[],"apps":[],
       "running":[\(running)],"screen":\(screen),"notices":[],"enforcement":"enforced"\(points)}
      """
    return try LocalJSON.decode(ChildToday.self, from: Array(text.utf8))
  }

  private func state(
    _ screen: String, isFresh: Bool = true, waiting: Int = 0, lock: Bool? = nil
  ) throws -> ChildState {
    ChildState(try day(screen: screen), isFresh: isFresh, requests: 2, waiting: waiting, lock: lock)
  }

  private func json(_ state: ChildState) throws -> String {
    String(decoding: try LocalJSON.encode(state), as: UTF8.self)
  }

  @Test("Time left is that of the first rule, absent without one, and 0 only if a rule closes")
  func left() throws {
    let limited = try state(#"{"isAllowed":true,"rule":"limits/daily","leftMilliseconds":1500000}"#)
    #expect(limited.status == .left && limited.left == 1_500 && limited.rule == "limits/daily")
    let free = try state(#"{"isAllowed":true}"#)
    let text = try json(free)
    #expect(free.status == .free && !text.contains("left_s"))
    let over = try state(#"{"isAllowed":false,"rule":"schedule/bedtime"}"#)
    #expect(over.status == .over && over.left == 0 && over.lock == false)
    let locked = try state(#"{"isAllowed":false,"rule":"lock"}"#)
    #expect(locked.status == .locked && locked.left == 0 && locked.lock == true)
  }

  @Test("While no machine is connected, what is left is unknown and never 0")
  func stale() throws {
    for screen in [
      #"{"isAllowed":true,"rule":"limits/daily","leftMilliseconds":1500000}"#, #"{"isAllowed":false,"rule":"lock"}"#,
      #"{"isAllowed":true}"#,
    ] {
      let text = try json(try state(screen, isFresh: false))
      #expect(text.contains(#""status":"unknown""#) && !text.contains("left_s") && !text.contains("rule"), "\(text)")
      #expect(text.contains(#""used_s":3600"#) && text.contains(#""requests":2"#), "\(text)")
      let known = try state(screen)
      #expect(known.withoutNode.status == .unknown && known.withoutNode.left == nil)
    }
  }

  @Test("A lock that a machine has not confirmed leaves the state as it was confirmed before")
  func lock() throws {
    let asked = #"{"isAllowed":false,"rule":"lock"}"#
    #expect(try state(asked, waiting: 1, lock: false).lock == false)
    #expect(try state(asked, waiting: 1, lock: nil).lock == nil)
    #expect(try state(asked, waiting: 0, lock: false).lock == true)
    #expect(try state(#"{"isAllowed":true}"#, waiting: 1, lock: true).lock == true)
  }

  @Test("A state is published anew when a minute has passed or anything else has changed, and not each second")
  func essence() throws {
    func left(_ milliseconds: Int) throws -> ChildState {
      try state("{\"isAllowed\":true,\"rule\":\"limits/daily\",\"leftMilliseconds\":\(milliseconds)}")
    }
    #expect(try left(1_500_000).essence == left(1_499_000).essence.with(left: 25))
    #expect(try left(1_499_000).essence == left(1_441_000).essence)
    #expect(try left(1_441_000).essence != left(1_440_000).essence)
    #expect(try left(30_000).next == .seconds(31))
    // It does not fall while the child does something else.
    #expect(try left(7_200_000).next == .seconds(60))
    #expect(try state(#"{"isAllowed":true}"#).next == nil)
    #expect(try state(#"{"isAllowed":true}"#, isFresh: false).next == nil)
  }
}

extension ChildState {
  fileprivate func with(left: Int64) -> ChildState {
    var state = self
    state.left = left
    return state
  }
}
