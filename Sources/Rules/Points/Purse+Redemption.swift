import LatchkeyModel

extension Purse {
  /// A redemption of points for minutes, with the time that is left.
  private struct Redemption {
    var entry: LedgerEntry
    var left: Int64
  }

  /// Redeems points for minutes at the present rate of the rules, which later changes do not
  /// affect.
  ///
  /// Throws a fault if the rules permit no redemption, or if the amount is 0, too large, or more
  /// than the purse holds.
  public mutating func redeem(
    _ milliPoints: Int64, source: RecordID, rules: RuleSet, day: FamilyDay, at: Int64
  ) throws(RuleFault) -> LedgerEntry? {
    if ledger.entries[EntryID(purse: device, kind: .redeemed, source: source)] != nil { return nil }
    guard rules.mode == .points else {
      throw RuleFault(
        Phrase(
          """
          You have no points to redeem, because they are turned off: a parent turns them on with `latchkey settings set \
          --points on`, and with --child if they are off for one child.
          """))
    }
    guard rules.points.use == .redeemFirst else {
      throw RuleFault(
        Phrase(
          """
          Rewards cost points as they run, so that none are redeemed before: a parent can change that with `latchkey settings \
          set --rewards redeem-first`.
          """))
    }
    guard milliPoints > 0 else { throw RuleFault(Phrase("That redeems nothing: give a number of points.")) }
    guard milliPoints <= max(spendable, ledger.balance) else {
      let all = PointsText.phrase(max(spendable, ledger.balance))
      throw RuleFault(
        Phrase(
          "That is more than the {points} that there are: redeem less, or earn more first.", ["points": .phrase(all)]))
    }
    guard milliPoints <= spendable else {
      let held = PointsText.phrase(spendable)
      throw RuleFault(
        Phrase(
          "That is more than the {points} on this machine: redeem less, or earn more first.", ["points": .phrase(held)])
      )
    }
    let (time, overflow) = milliPoints.multipliedReportingOverflow(by: rules.points.minutesPerPoint * 60)
    guard !overflow, time <= LedgerEntry.largest else {
      throw RuleFault(Phrase("That is too many points at once: redeem fewer."))
    }
    let last = day.advanced(byDays: Int(min(max(rules.points.redemptionDays, 1), 366)) - 1)
    return write(.redeemed, source, -milliPoints, day, at) { ($0.quantity, $0.lastDay) = (time, last) }
  }

  /// Returns the points for the unused minutes of a redemption, at its own rate, rounded down.
  ///
  /// Throws a fault if there is no such redemption, or no minutes are left.
  public mutating func refund(_ source: RecordID, day: FamilyDay, at: Int64) throws(RuleFault) -> LedgerEntry? {
    if ledger.entries[EntryID(purse: device, kind: .refunded, source: source)] != nil { return nil }
    let redemption = redemptions().first { $0.entry.id.source == source }
    guard let redemption, let last = redemption.entry.lastDay, last >= day, redemption.left > 0 else {
      throw RuleFault("Nothing of that redemption is left: its minutes were used, or their time is over.")
    }
    let paid = Int128(-redemption.entry.milliPoints)
    let amount = Int64(paid * Int128(redemption.left) / Int128(max(1, redemption.entry.quantity)))
    return write(.refunded, source, amount, day, at) { $0.quantity = redemption.left }
  }

  /// Writes an entry for each redemption with minutes left whose last day is before a day.
  public mutating func expire(before day: FamilyDay, at: Int64) -> [LedgerEntry] {
    redemptions().compactMap { redemption in
      guard redemption.left > 0, let last = redemption.entry.lastDay, last < day else { return nil }
      return write(.expired, redemption.entry.id.source, 0, day, at) { $0.quantity = redemption.left }
    }
  }

  /// Returns the redeemed minutes that can be used on a day, in the order in which they expire.
  public func redeemed(on day: FamilyDay) -> [RedeemedTime] {
    redemptions().compactMap { redemption in
      guard redemption.left > 0, let last = redemption.entry.lastDay, last >= day, redemption.entry.day <= day else {
        return nil
      }
      return RedeemedTime(milliseconds: redemption.left, lastDay: last)
    }
  }

  /// Returns this machine's redemptions with the time that is left, in the order in which they are
  /// used.
  ///
  /// Each day's use, in the order of days, is taken from the redemptions that were valid on that
  /// day, in the order in which they expire.
  private func redemptions() -> [Redemption] {
    var redemptions: [Redemption] = []
    var used: [FamilyDay: Int64] = [:]
    for entry in ledger.entries.values where entry.id.purse == device {
      switch entry.id.kind {
      case .redeemed:
        var left = entry.quantity
        for kind in [LedgerEntry.Kind.refunded, .expired] {
          let gone = ledger.entries[EntryID(purse: device, kind: kind, source: entry.id.source)]
          left = Moment.difference(left, gone?.quantity ?? 0)
        }
        redemptions.append(Redemption(entry: entry, left: max(0, left)))
      case .used: used[entry.day] = Moment.sum(used[entry.day] ?? 0, entry.quantity)
      default: break
      }
    }
    redemptions.sort { left, right in
      let (one, two) = (left.entry, right.entry)
      if one.lastDay != two.lastDay { return (one.lastDay ?? one.day) < (two.lastDay ?? two.day) }
      return one.day != two.day ? one.day < two.day : one.id.source.bytes.lexicographicallyPrecedes(two.id.source.bytes)
    }
    for (day, time) in used.sorted(by: { $0.key < $1.key }) {
      var rest = time
      for index in redemptions.indices where rest > 0 {
        let entry = redemptions[index].entry
        guard entry.day <= day, (entry.lastDay ?? entry.day) >= day else { continue }
        let taken = min(rest, redemptions[index].left)
        redemptions[index].left -= taken
        rest -= taken
      }
    }
    return redemptions
  }
}

extension Ledger {
  /// Returns the redeemed minutes that can be used on a day, for each machine but one.
  public func redeemed(on day: FamilyDay, beside own: DeviceID) -> [DeviceID: [RedeemedTime]] {
    let machines = Set(entries.keys.filter { $0.kind == .redeemed && $0.purse != own }.map(\.purse))
    return machines.reduce(into: [:]) { redeemed, device in
      let left = Purse(device: device, ledger: self).redeemed(on: day)
      if !left.isEmpty { redeemed[device] = left }
    }
  }
}
