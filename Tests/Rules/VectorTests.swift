import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// Tests with the results of an independent implementation: Protocol/vectors/rules.json.
@Suite struct RuleVectorTests {
  private struct File: Decodable {
    struct Value: Decodable {
      let key: String
      let typed: String
      let stored: String?
    }
    struct Merge: Decodable {
      struct Edit: Decodable {
        let key: String
        let value: String?
        let wall: Int64
        let counter: UInt32
        let author: String
      }
      let edits: [Edit]
      let held: [Edit]
    }
    struct Decision: Decodable {
      struct Entry: Decodable {
        let zone: String
        let key: String
        let value: String
      }
      struct Use: Decodable {
        let screen: Int64
        let categories: [String: Int64]
        let apps: [String: Int64]
        let groups: [String: Int64]
        let appsWithin: [String: Int64]?
        let groupsWithin: [String: Int64]?
      }
      struct Redeemed: Decodable {
        let milliseconds: Int64
        let lastDay: String

        init(from decoder: any Decoder) throws {
          var list = try decoder.unkeyedContainer()
          milliseconds = try list.decode(Int64.self)
          lastDay = try list.decode(String.self)
        }
      }
      struct Said: Decodable {
        let allowed: Bool
        let reason: String?
        let until: Int64?
        let warnings: [Int64]
      }
      let registers: [Entry]
      let boot: Int64
      let time: Int64
      let day: String
      let use: [String: Use]
      let spendable: Int64
      let presence: [[Int64]]
      let redeemed: [Redeemed]
      let running: [String]
      let verdicts: [String: Said]
    }
    struct Book: Decodable {
      let entries: [String]
      let held: [String]
      let balance: Int64
      let purses: [String: Int64]
      let repeats: [String: [Int64]]
    }
    struct Stretches: Decodable {
      struct Stretch: Decodable {
        let app: AppID
        let category: AppCategory
        let start: Int64
        let milliseconds: Int64
      }
      let zone: String
      let dayStart: Int
      let learningIsFree: Bool
      let groups: [String: [AppID]]
      let limits: [String: String]
      let stretches: [Stretch]
      let days: [String: Decision.Use]
      let presence: [[Int64]]
    }
    let use: [Stretches]
    let values: [Value]
    let merge: [Merge]
    let decisions: [Decision]
    let ledger: [Book]
  }

  private let file: File

  init() throws {
    let path = URL(filePath: #filePath).appending(path: "../../../Protocol/vectors/rules.json").standardized
    file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
  }

  @Test func valuesHaveTheFormsOfTheVectors() throws {
    #expect(file.values.count > 40)
    for vector in file.values {
      let key = try HouseholdSamples.key(vector.key)
      #expect((try? Rule(key, typed: vector.typed))?.text == vector.stored, "\(vector.key) \(vector.typed)")
    }
  }

  @Test func editsMergeAsInTheVectors() throws {
    func register(_ edit: File.Merge.Edit) throws -> Register {
      let bytes = try #require(Hexadecimal.decode(edit.author))
      let author = try #require(DeviceID(bytes: bytes))
      let key = try #require(RegisterKey(edit.key))
      return Register(
        .family, key, edit.value, modified: HybridTimestamp(wall: edit.wall, counter: edit.counter, author: author))
    }
    for vector in file.merge {
      let map = RegisterMap(try vector.edits.map(register))
      #expect(map.registers == (try vector.held.map(register)))
    }
  }

  @Test func decisionsAreThoseOfTheVectors() throws {
    #expect(file.decisions.count > 50)
    for (number, vector) in file.decisions.enumerated() {
      // They are in the order in which they were set.
      let registers = try vector.registers.enumerated().map { number, entry in
        let key = try #require(RegisterKey(entry.key))
        let zone: Zone = entry.zone == "family" ? .family : .child(HouseholdSamples.emma)
        var modified = HybridTimestamp.never
        modified.wall = Int64(number)
        return Register(zone, key, entry.value, modified: modified)
      }
      let rules = RuleSet.read(registers, child: HouseholdSamples.emma).rules
      #expect(rules.boundary.day(containing: vector.time).description == vector.day, "decision \(number)")
      let day = try HouseholdSamples.day(vector.day)
      var situation = Situation(boot: BootInstant(milliseconds: vector.boot), time: vector.time, day: day)
      for (text, use) in vector.use {
        var total = DayUse(screen: use.screen)
        for (name, time) in use.categories { total.categories[try #require(AppCategory(rawValue: name))] = time }
        for (name, time) in use.apps { total.apps[try HouseholdSamples.app(name)] = time }
        for (name, time) in use.groups { total.groups[try HouseholdSamples.app(name)] = time }
        for (name, time) in use.appsWithin ?? [:] { total.appsWithin[try HouseholdSamples.app(name)] = time }
        for (name, time) in use.groupsWithin ?? [:] { total.groupsWithin[try HouseholdSamples.app(name)] = time }
        situation.use[try HouseholdSamples.day(text)] = total
      }
      for range in vector.presence { situation.presence.insert(range[0]..<range[1]) }
      situation.spendable = vector.spendable
      situation.redeemed = try vector.redeemed.map {
        RedeemedTime(milliseconds: $0.milliseconds, lastDay: try HouseholdSamples.day($0.lastDay))
      }
      situation.running = [1_000: Set(try vector.running.map { Subject(try HouseholdSamples.app($0)) })]
      let plan = DayPlan(rules, for: situation)
      for (name, said) in vector.verdicts {
        let verdict = plan.explain(Subject(try HouseholdSamples.app(name)), in: situation).verdict
        let note = "decision \(number), \(name): \(verdict)"
        #expect(verdict.isAllowed == said.allowed, "\(note)")
        #expect(verdict.reason?.word == said.reason, "\(note)")
        #expect(verdict.until?.milliseconds == said.until, "\(note)")
        #expect(verdict.warnings.map(\.milliseconds) == said.warnings, "\(note)")
      }
    }
  }

  @Test func useAddsUpAsInTheVectors() throws {
    #expect(file.use.contains { $0.learningIsFree } && file.use.contains { !$0.learningIsFree })
    for vector in file.use {
      var groups: [GroupName: RuleSet.Group] = [:]
      for (name, apps) in vector.groups {
        var group = RuleSet.Group()
        (group.members, group.limit) = (apps, try DayLimits(vector.limits[name] ?? "60"))
        groups[try HouseholdSamples.app(name)] = group
      }
      var totals = try UseTotals(
        DayBoundary(zone: vector.zone, dayStartHour: vector.dayStart), isLearningFree: vector.learningIsFree,
        groups: groups,
        apps: [HouseholdSamples.app("game"): DayLimits(#require(vector.limits["game"]))])
      for stretch in vector.stretches {
        totals.add(
          UseSpan(
            app: stretch.app, category: stretch.category, start: stretch.start, milliseconds: stretch.milliseconds))
      }
      #expect(totals.presence.ranges.map { [$0.lowerBound, $0.upperBound] } == vector.presence)
      for (day, wanted) in vector.days {
        let use = totals.use[try HouseholdSamples.day(day)] ?? DayUse()
        #expect(use.screen == wanted.screen)
        for (name, time) in wanted.categories {
          #expect(use.categories[try #require(AppCategory(rawValue: name))] ?? 0 == time, "\(day) \(name)")
        }
        for (name, time) in wanted.groups {
          #expect(use.groups[try HouseholdSamples.app(name)] ?? 0 == time, "\(day) \(name)")
        }
        for (name, time) in wanted.appsWithin ?? [:] {
          #expect(use.appsWithin[try HouseholdSamples.app(name)] ?? 0 == time, "\(day) \(name)")
        }
        for (name, time) in wanted.groupsWithin ?? [:] {
          #expect(use.groupsWithin[try HouseholdSamples.app(name)] ?? 0 == time, "\(day) \(name)")
        }
        #expect(Set(use.apps.keys.map(\.text)) == Set(wanted.apps.keys))
        for (name, time) in wanted.apps { #expect(use.apps[try HouseholdSamples.app(name)] == time, "\(day) \(name)") }
      }
    }
  }

  @Test func ledgersAddUpAsInTheVectors() throws {
    for vector in file.ledger {
      let ledger = Ledger(try vector.entries.map { try #require(LedgerEntry($0)) })
      #expect(ledger.entries.values.map(\.text).sorted() == vector.held)
      #expect(ledger.balance == vector.balance)
      let repeats = ledger.repeats.map {
        ("\($0.source) \(Hexadecimal.encode($0.purse.bytes))", [$1.milliseconds, $1.milliPoints])
      }
      #expect(Dictionary(uniqueKeysWithValues: repeats) == vector.repeats)
      for (device, amount) in vector.purses {
        let bytes = try #require(Hexadecimal.decode(device))
        let id = try #require(DeviceID(bytes: bytes))
        #expect(ledger.purse(of: id) == amount)
      }
    }
  }
}
