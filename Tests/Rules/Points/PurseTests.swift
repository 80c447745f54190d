import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct PurseTests {
  private static let points = [("mode", "points"), ("family/zone", "Europe/Berlin")]
  private static let start: Int64 = 1_795_446_000_000

  private func device(_ number: UInt8) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: number, count: DeviceID.size)))
  }

  private func source(_ number: Int) throws -> RecordID {
    try #require(RecordID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }))
  }

  private func record(
    _ number: Int, _ device: DeviceID, _ category: AppCategory, minutes: Double, rate: Int64 = 1_000, at: Int64 = start
  ) throws -> UsageRecord {
    let active = Int64(minutes * 60_000)
    return UsageRecord(
      recordID: try source(number), device: device, appID: try HouseholdSamples.app(category.rawValue),
      displayName: "x", sessionStart: at, sessionEnd: at + active, zone: "UTC", activeMilliseconds: active,
      category: category, milliPointsPerMinute: rate, earnedMilliPoints: 0, evidence: .observed)
  }

  @Test func learningEarnsAndRewardsCost() throws {
    let rules = try HouseholdSamples.rules(Self.points)
    var purse = Purse(device: try device(1))
    let learning = try record(1, purse.device, .learning, minutes: 30, rate: 2_000)
    let earned = purse.take(learning, hold: nil, rules: rules, at: 5)
    #expect(earned?.milliPoints == 60_000)
    #expect(earned?.day.description == "2026-11-23")
    #expect(purse.take(learning, hold: nil, rules: rules, at: 6) == nil)
    let reward = try record(2, purse.device, .reward, minutes: 10)
    #expect(purse.costSoFar(of: UsageSlice(reward), rules.boundary) == 10_000)
    #expect(purse.take(reward, hold: nil, rules: rules, at: 7)?.milliPoints == -10_000)
    #expect(purse.take(reward, hold: nil, rules: rules, at: 8) == nil)
    // A reward that ran too long costs no more than the points there are.
    #expect(
      purse.take(try record(3, purse.device, .reward, minutes: 90), hold: nil, rules: rules, at: 9)?.milliPoints
        == -50_000)
    #expect(purse.ledger.balance == 0)
    #expect(purse.take(try record(4, purse.device, .neutral, minutes: 90), hold: nil, rules: rules, at: 9) == nil)
    #expect(purse.take(try record(5, try device(2), .learning, minutes: 9), hold: nil, rules: rules, at: 9) == nil)
    let limits = try HouseholdSamples.rules([("mode", "limits")])
    #expect(purse.take(try record(6, purse.device, .learning, minutes: 9), hold: nil, rules: limits, at: 9) == nil)
  }

  @Test func capsAndTheShortestSession() throws {
    let rules = try HouseholdSamples.rules(
      Self.points + [("points/dailyCap", "20000"), ("points/weeklyCap", "30000"), ("points/minimumSession", "5")])
    var purse = Purse(device: try device(1))
    #expect(purse.take(try record(1, purse.device, .learning, minutes: 4.9), hold: nil, rules: rules, at: 0) == nil)
    let day: Int64 = 86_400_000
    for (number, minutes, offset, expected) in [
      (2, 15.0, Int64(0), Int64(15_000)), (3, 15, 0, 5_000), (4, 15, 0, 0), (5, 15, day, 10_000), (6, 15, 2 * day, 0),
      // The next Monday.
      (7, 15, 7 * day, 15_000),
    ] {
      let record = try record(number, purse.device, .learning, minutes: minutes, at: Self.start + offset)
      #expect(purse.take(record, hold: nil, rules: rules, at: 0)?.milliPoints == expected, "record \(number)")
    }
  }

  @Test func whatLooksWrongIsHeldAndNeverCut() throws {
    let rules = try HouseholdSamples.rules(Self.points)
    var purse = Purse(device: try device(1))
    for (number, hold) in HoldReason.allCases.enumerated() {
      let held = purse.take(
        try record(number, purse.device, .learning, minutes: 10), hold: hold, rules: rules, at: 0)
      #expect(held?.id.kind == .held && held?.milliPoints == 0 && held?.quantity == 10_000 && held?.hold == hold)
    }
    #expect(purse.ledger.balance == 0)
    #expect(purse.review(try source(0), isApproved: true, rules: rules, at: 1)?.milliPoints == 10_000)
    #expect(purse.review(try source(0), isApproved: false, rules: rules, at: 1) == nil)
    #expect(purse.review(try source(1), isApproved: false, rules: rules, at: 1)?.milliPoints == 0)
    #expect(purse.review(try source(1), isApproved: true, rules: rules, at: 1) == nil)
    #expect(purse.review(try source(9), isApproved: true, rules: rules, at: 1) == nil)
    #expect(purse.ledger.balance == 10_000)
  }

  @Test func evidenceTellsWhatLooksWrong() throws {
    let record = try record(1, try device(1), .learning, minutes: 10)
    func reason(_ inputs: Int?, _ reward: Int64, _ elapsed: Int64) -> HoldReason? {
      LearningEvidence(inputs: inputs, rewardMilliseconds: reward, elapsedMilliseconds: elapsed).holdReason(for: record)
    }
    #expect(reason(12, 0, 600_000) == nil)
    #expect(reason(nil, 0, 600_000) == nil)
    #expect(reason(0, 0, 600_000) == .noActivity)
    #expect(reason(12, 1, 600_000) == .rewardBeside)
    #expect(reason(12, 0, 660_001) == .clockJump)
    #expect(reason(12, 0, 539_999) == .clockJump)
    #expect(reason(12, 0, .min) == .clockJump)
    func closed(_ milliseconds: Int64, active: Double = 10) throws -> HoldReason? {
      LearningEvidence(
        inputs: nil, rewardMilliseconds: 0, elapsedMilliseconds: Int64(active * 60_000),
        closedMilliseconds: milliseconds
      ).holdReason(for: try self.record(1, try device(1), .learning, minutes: active))
    }
    #expect(try closed(0) == nil && closed(59_999) == nil && closed(60_000) == .notAllowed)
    // A short session that was never allowed.
    #expect(try closed(2_499, active: 5 / 60.0) == nil && closed(2_500, active: 5 / 60.0) == .notAllowed)
    #expect(try closed(0, active: 0) == nil && closed(1, active: 0) == .notAllowed)
  }

  @Test func redeemedMinutesAreFrozenRefundedAndExpire() throws {
    let rules = try HouseholdSamples.rules(
      Self.points + [("points/use", "redeemFirst"), ("points/minutesPerPoint", "3"), ("points/redemptionDays", "2")])
    var purse = Purse(device: try device(1))
    let monday = try HouseholdSamples.day("2026-11-23")
    #expect(throws: RuleFault.self) {
      try purse.redeem(1, source: try self.source(1), rules: rules, day: monday, at: 0)
    }
    _ = purse.grant(20_000, source: try source(2), day: monday, at: 0, note: "for helping")
    let ten = try purse.redeem(10_000, source: try source(3), rules: rules, day: monday, at: 0)
    let halfAnHour: Int64 = 1_800_000
    #expect(ten?.quantity == halfAnHour)
    #expect(try purse.redeem(10_000, source: try source(3), rules: rules, day: monday, at: 0) == nil)
    #expect(purse.ledger.balance == 10_000)
    #expect(purse.redeemed(on: monday).map(\.milliseconds) == [30 * 60_000])
    #expect(purse.redeemed(on: monday.advanced(byDays: 2)).isEmpty)
    #expect(
      purse.take(try record(4, purse.device, .reward, minutes: 12), hold: nil, rules: rules, at: 0)?.quantity == 720_000
    )
    #expect(purse.redeemed(on: monday).map(\.milliseconds) == [18 * 60_000])
    // 18 of 30 minutes are left: 6 of 10 points.
    var refunded = purse
    #expect(try refunded.refund(try source(3), day: monday, at: 0)?.milliPoints == 6_000)
    #expect(try refunded.refund(try source(3), day: monday, at: 0) == nil)
    #expect(refunded.redeemed(on: monday).isEmpty)
    #expect(refunded.ledger.balance == 16_000)
    let late = monday.advanced(byDays: 2)
    #expect(throws: RuleFault.self) { try purse.refund(try self.source(3), day: late, at: 0) }
    #expect(purse.expire(before: late, at: 0).map(\.quantity) == [18 * 60_000])
    #expect(purse.expire(before: late, at: 0).isEmpty)
    #expect(purse.ledger.balance == 10_000)
  }

  @Test func anAdjustmentNeverLeavesLessThanNothing() throws {
    var purse = Purse(device: try device(1))
    let day = try HouseholdSamples.day("2026-11-23")
    _ = purse.grant(5_000, source: try source(1), day: day, at: 0)
    #expect(
      purse.adjust(by: -9_000, source: try source(2), day: day, at: 0, note: "broke\u{7} it")?.milliPoints == -5_000)
    #expect(
      purse.adjust(by: 50_000, source: try source(3), day: day, at: 0, note: "cleaned the kitchen")?.note
        == "cleaned the kitchen")
    #expect(purse.ledger.balance == 50_000)
  }

  @Test func noSplitOfSessionsChangesPoints() throws {
    var random = SeededRandom()
    let rules = try HouseholdSamples.rules(Self.points)
    for _ in 0..<100 {
      let rate = Int64(random.below(5_000))
      let total = Int64(1 + random.below(20_000_000))
      for category in [AppCategory.learning, .reward] {
        var balances: [Int64] = []
        for _ in 0..<3 {
          var purse = Purse(device: try device(1))
          _ = purse.grant(1 << 40, source: try source(9_999), day: rules.boundary.day(containing: Self.start), at: 0)
          var position: Int64 = 0
          var number = 0
          while position < total {
            let length = min(total - position, Int64(1 + random.below(Int(total))))
            var part = try record(number, purse.device, category, minutes: 0, rate: rate, at: Self.start + position)
            (part.sessionEnd, part.activeMilliseconds) = (part.sessionStart + length, length)
            _ = purse.take(part, hold: nil, rules: rules, at: 0)
            // The same part again changes nothing, not even the remainder.
            if random.once(in: 2) { _ = purse.take(part, hold: nil, rules: rules, at: 0) }
            position += length
            number += 1
          }
          balances.append(purse.ledger.balance)
        }
        #expect(Set(balances).count == 1, "\(balances) at \(rate) for \(total), \(random.note)")
      }
    }
  }

  @Test func noSequenceGainsPoints() throws {
    var random = SeededRandom()
    for _ in 0..<200 {
      let rules = try HouseholdSamples.rules(
        Self.points + [
          ("points/use", random.pick(["redeemFirst", "payAsYouGo"])),
          ("points/minutesPerPoint", "\(1 + random.below(7))"), ("points/redemptionDays", "\(1 + random.below(3))"),
        ])
      var purse = Purse(device: try device(1))
      var day = try HouseholdSamples.day("2026-11-23")
      var given: Int64 = 0
      for step in 0..<60 {
        let source = try source(random.below(40))
        switch random.below(6) {
        case 0:
          let entry = purse.grant(Int64(random.below(50_000)), source: source, day: day, at: 0)
          given += entry?.milliPoints ?? 0
        case 1: _ = try? purse.redeem(Int64(random.below(9_000)), source: source, rules: rules, day: day, at: 0)
        case 2: _ = try? purse.refund(source, day: day, at: 0)
        case 3:
          let at = try HouseholdSamples.instant("\(day)T12:00:00Z")
          let record = try record(1_000 + step, purse.device, .reward, minutes: Double(random.below(30)), at: at)
          _ = purse.take(record, hold: nil, rules: rules, at: 0)
        case 4: _ = purse.expire(before: day, at: 0)
        default: if random.once(in: 3) { day = day.advanced(byDays: 1) }
        }
        // The redeemed minutes, at the rate at which they were bought, and the points.
        let worth = purse.redeemed(on: day).reduce(Int64(0)) {
          $0 + $1.milliseconds / (rules.points.minutesPerPoint * 60)
        }
        #expect(purse.ledger.balance >= 0, "\(random.note)")
        #expect(purse.ledger.balance + worth <= given, "\(random.note)")
        // All entries again, into another ledger and in another order.
        if step % 20 == 0 {
          var copy = Ledger(purse.ledger.entries.values.shuffled(using: &random))
          copy.merge(purse.ledger)
          #expect(copy == purse.ledger && copy.balance == purse.ledger.balance, "\(random.note)")
        }
      }
    }
  }

  @Test func redeemingNamesWhatThereIsAndWhereTimeIsLeft() throws {
    let rules = try HouseholdSamples.rules(Self.points + [("points/use", "redeemFirst")])
    let day = try #require(FamilyDay("2026-11-23"))
    var parent = Purse(device: try device(9))
    _ = parent.grant(12_000, source: try source(1), day: day, at: 0)
    var purse = Purse(device: try device(1), ledger: parent.ledger)
    func refusal(_ milliPoints: Int64) -> String? {
      var copy = purse
      do {
        _ = try copy.redeem(milliPoints, source: try source(2), rules: rules, day: day, at: 0)
        return nil
      } catch let fault as RuleFault { return fault.sentence } catch { return nil }
    }
    #expect(refusal(20_000) == "That is more than the 12 points that there are: redeem less, or earn more first.")
    #expect(refusal(5_000)?.contains("on this machine") == true)
    _ = parent.lend(12_000, to: purse.device, source: try source(3), day: day, at: 0)
    purse.ledger.merge(parent.ledger)
    _ = try purse.redeem(10_000, source: try source(4), rules: rules, day: day, at: 0)
    #expect(purse.ledger.redeemed(on: day, beside: purse.device).isEmpty)
    let elsewhere = purse.ledger.redeemed(on: day, beside: parent.device)
    #expect(elsewhere.keys.map { $0 } == [purse.device])
    #expect(elsewhere[purse.device]?.map(\.milliseconds) == [600_000])
  }
}
