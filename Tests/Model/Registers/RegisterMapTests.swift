import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct RegisterMapTests {
  @Test func theLaterEditHoldsInEveryOrder() throws {
    var random = SeededRandom()
    for _ in 0..<200 {
      let edits = try Self.edits(count: 1 + random.below(40), &random)
      let expected = RegisterMap(edits)
      var other = RegisterMap()
      // In another order, each any number of times, and in parts that are merged on their own
      // first.
      var parts = [RegisterMap](repeating: RegisterMap(), count: 3)
      for edit in edits.shuffled(using: &random) {
        for _ in 0...random.below(3) { parts[random.below(3)].merge(edit) }
      }
      for part in parts.shuffled(using: &random) {
        other.merge(part)
        if random.once(in: 2) { other.merge(part) }
      }
      #expect(other == expected, "\(random.note)")
      var backwards = parts[2]
      backwards.merge(parts[1])
      backwards.merge(parts[0])
      #expect(backwards == expected, "\(random.note)")
      for edit in edits {
        let held = try #require(expected[edit.zone, edit.key])
        #expect(held.modified >= edit.modified, "\(random.note)")
      }
    }
  }

  @Test func aFullZoneKeepsTheSameRegistersInEveryOrder() throws {
    var random = SeededRandom()
    var edits: [Register] = []
    for number in 0..<(RegisterMap.capacity + 12) {
      let key = random.once(in: 2) ? "app/a\(number)/blocked" : "today/2026-11-2\(number % 10)/x\(number)"
      edits.append(try Self.edit(key, "yes", at: Int64(number), &random))
    }
    let expected = RegisterMap(edits)
    #expect(expected.registers.count == RegisterMap.capacity)
    #expect(RegisterMap(edits.shuffled(using: &random)) == expected, "\(random.note)")
    // A full zone does not crowd another one.
    let machine = Zone.machine(Samples.deviceID(&random))
    var both = expected
    let own = Register(machine, "later", "1", modified: edits[0].modified)
    #expect(Self.isTaken(own, &both))
    #expect(both.registers(in: .family) == expected.registers)
    // Forgetting a day before or after the merge ends the same.
    let day = try #require(FamilyDay("2026-11-24"))
    var before = RegisterMap()
    before.forget(before: day)
    for edit in edits.shuffled(using: &random) { before.merge(edit) }
    var left = RegisterMap(edits.prefix(edits.count / 2))
    left.forget(before: day)
    left.merge(RegisterMap(edits.suffix(from: edits.count / 2)))
    for edit in edits { left.merge(edit) }
    #expect(left == before, "\(random.note)")
  }

  @Test func anEditOfAForgottenDayIsNotTaken() throws {
    var random = SeededRandom()
    var map = RegisterMap()
    map.forget(before: try #require(FamilyDay("2026-11-24")))
    for (key, isKept) in [("today/2026-11-23/x", false), ("today/2026-11-24/x", true), ("today/later/x", true)] {
      let edit = try Self.edit(key, "none", at: 9, &random)
      #expect(Self.isTaken(edit, &map) == isKept)
    }
  }

  @Test func twoEditsOfOneTimeEndTheSameEverywhere() throws {
    var random = SeededRandom()
    let one = try Self.edit("lock", "on", at: 1, &random)
    var two = one
    two.value = nil
    var three = one
    three.value = "off"
    for order in [[one, two, three], [three, two, one], [two, one, three], [three, one, two]] {
      #expect(RegisterMap(order).value(.family, "lock") == "on")
    }
  }

  @Test func keysOfDaysAreKeptLastAndTheEarliestDaysLastOfAll() {
    let keys: [RegisterKey] = [
      "lock", "mode", "limits/daily", "app/z/limit", "today/22/bedtime", "x/y/z/later", "today/2026-11-23/bedtime",
      "today/2026-11-22/bedtime",
    ]
    #expect(keys.reversed().sorted { $0.isKept(before: $1) } == keys)
  }

  private static func isTaken(_ register: Register, _ map: inout RegisterMap) -> Bool { map.merge(register) }

  private static func edit(
    _ key: String, _ value: String?, at wall: Int64, _ random: inout SeededRandom
  ) throws -> Register {
    Register(
      .family, try #require(RegisterKey(key)), value,
      modified: HybridTimestamp(wall: wall, counter: 0, author: Samples.deviceID(&random)))
  }

  /// Returns edits of few keys by few devices at few times, so that most of them collide.
  private static func edits(count: Int, _ random: inout SeededRandom) throws -> [Register] {
    let devices = (0..<2).map { _ in Samples.deviceID(&random) }
    let keys = ["lock", "mode", "later/version/of/it", "today/2026-11-22/bedtime", "app/a/limit"]
    var edits: [Register] = []
    for _ in 0..<count {
      var edit = try edit(random.pick(keys), random.pick(["on", "off", "", nil]), at: Int64(random.below(4)), &random)
      edit.modified.author = random.pick(devices)
      edit.modified.counter = UInt32(random.below(2))
      edits.append(edit)
    }
    return edits
  }
}
