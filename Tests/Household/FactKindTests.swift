import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// Tests of the kinds of fact: how they are read, and which of two facts is kept.
@Suite struct FactKindTests {
  private let coding = MessageBodyCoding()

  private func answer(_ random: inout SeededRandom, _ request: CommandID, by author: DeviceID) throws -> RequestAnswer {
    RequestAnswer(
      request: request, verdict: random.pick([.denied, .approved(minutes: nil), .approved(minutes: 20)]),
      day: try #require(FamilyDay("2026-11-23")), word: random.pick(["", "then bed"]),
      modified: HybridTimestamp(wall: Int64(random.below(3)), counter: UInt32(random.below(2)), author: author))
  }

  private func samples(_ random: inout SeededRandom) throws -> [(kind: FactKind, text: String, author: DeviceID)] {
    let (one, two) = (Samples.deviceID(&random), Samples.deviceID(&random))
    let day = try #require(FamilyDay("2026-11-23"))
    let source = try #require(RecordID(bytes: random.bytes(16)))
    let wish = try ChildRequest.Wish(
      typed: random.pick(["time 30", "time 30 reward", "time 5 app:a.b", "app org.gnome.Chess"]))
    let request = ChildRequest(
      id: Samples.commandID(&random), device: one, at: 7, wish: wish, day: day, reason: random.pick(["", "a b  c"]))
    let time = HybridTimestamp(wall: 5, counter: 6, author: one)
    let entry = LedgerEntry(
      EntryID(purse: one, kind: .leased, source: source), milliPoints: -5, day: day, at: 9, other: two, note: "a b")
    return [
      (.request, request.text, one), (.answer, try answer(&random, request.id, by: two).text, two),
      (.need, PointsNeed(modified: time, isNeeded: random.once(in: 2)).text, one),
      (.machines, ChildMachines(modified: time, machines: [one, two]).text, one),
      (.machines, ChildMachines(modified: time, machines: []).text, one), (.ledger, entry.text, one),
    ]
  }

  @Test("Each kind reads its text, and refuses every other")
  func texts() throws {
    var random = SeededRandom()
    var seen: Set<FactKind> = []
    for _ in 0..<100 {
      for (kind, text, author) in try samples(&random) {
        let definition = try #require(FactRegistry.household.definition(kind))
        seen.insert(kind)
        let reading = try #require(definition.read(text), "\(text)")
        #expect(reading.author == author && (1...255).contains(reading.identity.utf8.count))
        #expect(TextRule.fact.fault(in: text) == nil)
        for wrong in ["", " " + text, text + " x\nx", text.uppercased() + "!", String(text.dropFirst())] {
          #expect(definition.read(wrong) == nil, "\(wrong)")
        }
        for other in FactRegistry.household.kinds where other.kind != kind {
          #expect(other.read(text) == nil, "\(other.kind): \(text)")
        }
      }
    }
    #expect(seen == Set(FactRegistry.household.kinds.map(\.kind)))
  }

  @Test("Of facts of one identity the same is kept in every order")
  func merging() throws {
    var random = SeededRandom()
    for definition in FactRegistry.household.kinds {
      for _ in 0..<60 {
        let author = Samples.deviceID(&random)
        let request = Samples.commandID(&random)
        let day = try #require(FamilyDay("2026-11-23"))
        let source = try #require(RecordID(bytes: random.bytes(16)))
        let texts = try (0..<4).map { _ in
          let time = HybridTimestamp(wall: Int64(random.below(3)), counter: UInt32(random.below(2)), author: author)
          switch definition.kind {
          case .answer: return try answer(&random, request, by: author).text
          case .need: return PointsNeed(modified: time, isNeeded: random.once(in: 2)).text
          case .machines:
            return ChildMachines(
              modified: time, machines: random.once(in: 2) ? [] : [Samples.deviceID(&random)]
            ).text
          case .ledger:
            return LedgerEntry(
              EntryID(purse: author, kind: .granted, source: source), milliPoints: Int64(random.below(3)), day: day,
              at: 5
            ).text
          default:
            return ChildRequest(
              id: request, device: author, at: Int64(random.below(3)), wish: .app(Samples.appID(&random)), day: day,
              reason: ""
            ).text
          }
        }
        func kept(_ texts: [String]) -> String? {
          texts.reduce(nil as String?) { held, text in
            guard let held, held != text else { return text }
            return definition.isKept(text, held) ? text : held
          }
        }
        let first = kept(texts)
        for _ in 0..<6 { #expect(kept((texts + texts).shuffled(using: &random)) == first, "\(random.note)") }
      }
    }
  }

  @Test("An item holds 1 to 128 facts, and nothing malformed")
  func items() throws {
    var random = SeededRandom()
    let child = try #require(ChildID(bytes: random.bytes(16)))
    let facts = try samples(&random).map { Fact(child, $0.kind, $0.text) }
    #expect(try coding.facts(coding.encode(facts)) == facts)
    for wrong in [
      [], [Fact](repeating: facts[0], count: 129), [Fact(child, .need, "")], [Fact(child, .need, "a\u{0}")],
    ] {
      #expect(throws: BodyFault.self) { try coding.facts(coding.encode(wrong)) }
    }
    #expect(throws: BodyFault.self) {
      try coding.facts(coding.encode([Fact(child, .need, String(repeating: "x", count: Fact.textBytes + 1))]))
    }
    #expect(throws: BodyFault.self) { try coding.facts([0xFF, 1, 2]) }
  }

  @Test("A command about points leads back, and wrong ones are refused")
  func commands() throws {
    var random = SeededRandom()
    let child = try #require(ChildID(bytes: random.bytes(16)))
    let record = try #require(RecordID(bytes: random.bytes(16)))
    let day = try #require(FamilyDay("2026-11-23"))
    let take = TakePoints(child: child, milliPoints: 5, day: day, reason: "rules")
    #expect(try TakePoints(bytes: take.bytes) == take && take.fault == nil)
    for wrong in [
      TakePoints(child: child, milliPoints: 0, day: day, reason: "x"),
      TakePoints(child: child, milliPoints: -1, day: day, reason: "x"),
      TakePoints(child: child, milliPoints: 1, day: day, reason: ""),
      TakePoints(child: child, milliPoints: 1, day: day, reason: "a\nb"),
    ] {
      #expect(wrong.fault?.hasSuffix(".") == true)
    }
    #expect(take.isAnswered(by: StateInForce(PointsTaken(5))) && take.isAnswered(by: StateInForce(PointsTaken(0))))
    #expect(!take.isAnswered(by: StateInForce(PointsTaken(6))), "No more than was asked for.")
    #expect(!take.isAnswered(by: StateInForce(PointsTaken(-1))))
    let review = ReviewLearning(child: child, record: record, isApproved: true)
    #expect(try ReviewLearning(bytes: review.bytes) == review)
    #expect(throws: BodyFault.self) { try ReviewLearning(bytes: [1, 2, 3]) }
    #expect(throws: BodyFault.self) { try TakePoints(bytes: []) }
  }
}
