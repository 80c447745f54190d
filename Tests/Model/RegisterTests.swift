import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// The merge of registers.
@Suite struct RegisterTests {
  @Test("Every order, repetition and split of deliveries ends the same", arguments: 0..<64)
  func anyOrder(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let authors = (0..<3).map { _ in Samples.deviceID(&random) }
    let child = try #require(ChildID(bytes: random.bytes(16)))
    let zones: [Zone] = [.family, .child(child), .machine(authors[0])]
    let keys: [RegisterKey] = ["lock", "mode", "app/a/limit"]
    let edits = (0..<40).map { _ in
      Register(
        random.pick(zones), random.pick(keys), random.once(in: 4) ? nil : String(random.below(4)),
        modified: HybridTimestamp(
          wall: Int64(random.below(6)), counter: UInt32(random.below(2)), author: random.pick(authors)))
    }
    let whole = RegisterMap(edits)
    for _ in 0..<8 {
      var order = edits + (0..<20).map { _ in random.pick(edits) }
      for place in order.indices.dropFirst() { order.swapAt(place, random.below(place + 1)) }
      let cut = random.below(order.count)
      // Two machines that hear of parts, and then of each other's maps.
      var first = RegisterMap(order[..<cut])
      let second = RegisterMap(order[cut...])
      for register in second.registers { first.merge(register) }
      #expect(first == whole, "seed \(seed)")
    }
    for register in whole.registers {
      #expect(whole[register.zone, register.key] == register)
      var copy = whole
      let isNews = copy.merge(register)
      #expect(!isNews, "What is held already is no news.")
    }
  }

  @Test(arguments: ["", "/", "a/", "/a", "a//b", "a b", "a\u{0}", "a\n", String(repeating: "x", count: 512)])
  func noKey(text: String) { #expect(RegisterKey(text) == nil) }

  @Test func keys() throws {
    let key: RegisterKey = "app/org.gnome.Chess/limit"
    #expect(key.segments == ["app", "org.gnome.Chess", "limit"])
    #expect(RegisterKey(["a/b"]) == nil)
    #expect(RegisterKey(String(repeating: "ü", count: 255)) != nil)
  }

  @Test func zonesComeBackFromTheirBytes() throws {
    var random = SeededRandom(seed: 7)
    let child = try #require(ChildID(bytes: random.bytes(16)))
    for zone in [Zone.family, .child(child), .machine(Samples.deviceID(&random))] {
      #expect(Zone(bytes: zone.bytes) == zone)
      #expect(Zone(bytes: zone.bytes + [0]) == nil)
    }
    #expect(Zone(bytes: []) == nil)
    #expect(Zone(form: 4, id: []) == nil)
    #expect(ChildID(child.description) == child)
  }
}
