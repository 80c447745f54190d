import LatchkeyModel

/// The part of a child's points that one machine may spend, and the only writer of its entries.
///
/// Every function returns the entry that it has written, or `nil` if no entry was needed. The
/// caller stores the entry in the same transaction as its cause. Repeated calls have the effect of
/// one.
///
/// Spec: Protocol/11-rules.md §6.
public struct Purse: Sendable {
  /// The application, category and day that a remainder of points belongs to.
  public struct CarryKey: Hashable, Sendable {
    public var app: AppID
    public var category: AppCategory
    public var day: FamilyDay

    public init(app: AppID, category: AppCategory, day: FamilyDay) {
      (self.app, self.category, self.day) = (app, category, day)
    }
  }

  public let device: DeviceID
  /// The entries that this machine knows, including all of its own.
  public var ledger: Ledger
  /// The remainders below one milli-point, which are stored together with the entries.
  public private(set) var carries: [CarryKey: PointsRemainder]

  public init(device: DeviceID, ledger: Ledger = Ledger(), carries: [CarryKey: PointsRemainder] = [:]) {
    (self.device, self.ledger, self.carries) = (device, ledger, carries)
  }

  /// The milli-points that may be spent; at least 0.
  public var spendable: Int64 { max(0, ledger.purse(of: device)) }

  /// Writes the entry that follows from a session on this machine.
  ///
  /// Learning earns points, or is held for review with a reason. A reward costs at most what the
  /// purse holds, or uses redeemed minutes. Any other session writes nothing, and so does every
  /// session in a family without points.
  ///
  /// `hold` is the reason why the session looks wrong, and `rules` are those at its end.
  public mutating func take(_ record: UsageRecord, hold: HoldReason?, rules: RuleSet, at: Int64) -> LedgerEntry? {
    guard rules.mode == .points, record.device == device, record.fault == nil else { return nil }
    let boundary = rules.boundary
    let slice = UsageSlice(record)
    let day = boundary.day(containing: record.sessionStart)
    switch record.category {
    case .neutral: return nil
    case .learning:
      guard !isWritten([.earned, .held], record.recordID) else { return nil }
      guard let earned = earned(by: slice, rules, boundary) else { return nil }
      let amount = min(earned, LedgerEntry.largest)
      if let hold { return write(.held, record.recordID, 0, day, at) { ($0.quantity, $0.hold) = (amount, hold) } }
      return write(.earned, record.recordID, min(amount, capLeft(on: day, rules.points)), day, record.sessionStart) {
        $0.quantity = min(max(0, record.activeMilliseconds), LedgerEntry.largest)
      }
    case .reward:
      guard !isWritten([.spent, .used], record.recordID) else { return nil }
      switch rules.points.use {
      case .payAsYouGo:
        guard slice.activeMilliseconds > 0, slice.rate.milliPointsPerHour > 0 else { return nil }
        // An entry of 0 also records that the remainder was carried over.
        return write(.spent, record.recordID, -min(cost(of: slice, boundary), spendable), day, at)
      case .redeemFirst:
        let used = min(max(0, record.activeMilliseconds), LedgerEntry.largest)
        return used == 0 ? nil : write(.used, record.recordID, 0, day, at) { $0.quantity = used }
      }
    }
  }

  /// Returns the cost of a running reward so far in milli-points, and writes nothing.
  public func costSoFar(of session: UsageSlice, _ boundary: DayBoundary) -> Int64 {
    var copy = self
    return copy.cost(of: session, boundary)
  }

  /// Writes a parent's decision about held learning of this machine; the first decision counts.
  public mutating func review(_ record: RecordID, isApproved: Bool, rules: RuleSet, at: Int64) -> LedgerEntry? {
    let held = ledger.entries[EntryID(purse: device, kind: .held, source: record)]
    guard let held, !isWritten([.reviewed], record) else { return nil }
    let amount = isApproved ? min(held.quantity, capLeft(on: held.day, rules.points)) : 0
    return write(.reviewed, record, amount, held.day, at)
  }

  /// Takes back points for learning on this machine that another of the child's machines had
  /// already earned.
  ///
  /// A purse never falls below 0. The amount that it does not hold is taken back later, once it
  /// does.
  public mutating func takeBackRepeats(at: Int64) -> [LedgerEntry] {
    debts.compactMap { id, found, taken in
      let more = min(found.milliPoints - taken, spendable)
      guard more > 0, let earned = ledger.entries[id] else { return nil }
      return write(.repeated, id.source, -taken - more, earned.day, at) { $0.quantity = found.milliseconds }
    }
  }

  /// A Boolean value that indicates whether repeated learning is still to be taken back.
  public var owes: Bool { !debts.isEmpty }

  /// This machine's repeated learning, with the points taken back so far, by record.
  private var debts: [(id: EntryID, found: LearningRepeat, taken: Int64)] {
    ledger.repeats.filter { $0.key.purse == device }
      .sorted { $0.key.source.bytes.lexicographicallyPrecedes($1.key.source.bytes) }
      .compactMap { id, found in
        let known = ledger.entries[EntryID(purse: device, kind: .repeated, source: id.source)]
        let taken = -(known?.milliPoints ?? 0)
        return taken < found.milliPoints ? (id, found, taken) : nil
      }
  }

  /// Adds points that a parent gives to this machine's purse.
  public mutating func grant(
    _ milliPoints: Int64, source: RecordID, day: FamilyDay, at: Int64, note: String = ""
  ) -> LedgerEntry? {
    guard !isWritten([.granted], source), milliPoints > 0 else { return nil }
    let amount = min(milliPoints, LedgerEntry.largest)
    return write(.granted, source, amount, day, at) { $0.note = TextRule.reason.cleaned(note) }
  }

  /// Writes a parent's change of points; the purse never falls below 0.
  public mutating func adjust(
    by milliPoints: Int64, source: RecordID, day: FamilyDay, at: Int64, note: String
  ) -> LedgerEntry? {
    guard !isWritten([.adjusted], source) else { return nil }
    let amount = min(max(milliPoints, -spendable), LedgerEntry.largest)
    return write(.adjusted, source, amount, day, at) { $0.note = TextRule.reason.cleaned(note) }
  }

  /// Lends points to another machine's purse, at most what this purse holds.
  public mutating func lend(
    _ milliPoints: Int64, to other: DeviceID, source: RecordID, day: FamilyDay, at: Int64
  ) -> LedgerEntry? {
    let amount = min(milliPoints, spendable)
    guard amount > 0, other != device, !isWritten([.leased], source) else { return nil }
    return write(.leased, source, -amount, day, at) { $0.other = other }
  }

  private func isWritten(_ kinds: [LedgerEntry.Kind], _ source: RecordID) -> Bool {
    kinds.contains { ledger.entries[EntryID(purse: device, kind: $0, source: source)] != nil }
  }

  mutating func write(
    _ kind: LedgerEntry.Kind, _ source: RecordID, _ milliPoints: Int64, _ day: FamilyDay, _ at: Int64,
    _ change: (inout LedgerEntry) -> Void = { _ in }
  ) -> LedgerEntry? {
    let time = min(max(at, 0), HybridTimestamp.wallLimit - 1)
    var entry = LedgerEntry(
      EntryID(purse: device, kind: kind, source: source), milliPoints: max(milliPoints, -LedgerEntry.largest), day: day,
      at: time)
    change(&entry)
    return ledger.merge(entry) ? entry : nil
  }

  private func capLeft(on day: FamilyDay, _ points: RuleSet.Points) -> Int64 {
    var left = LedgerEntry.largest
    if let cap = points.dailyCap { left = min(left, Moment.difference(cap, ledger.earned(on: day))) }
    if let cap = points.weeklyCap {
      let week = (0..<7).reduce(Int64(0)) { Moment.sum($0, ledger.earned(on: day.startOfWeek.advanced(byDays: $1))) }
      left = min(left, Moment.difference(cap, week))
    }
    return max(0, left)
  }

  /// Returns what a session earns; `nil` if it is too short, or its rate is 0.
  private mutating func earned(by slice: UsageSlice, _ rules: RuleSet, _ boundary: DayBoundary) -> Int64? {
    let minimum = Int(min(max(rules.points.minimumSession, 0), 1_440))
    let active = slice.activeMilliseconds
    guard active > 0, slice.rate.milliPointsPerHour > 0,
      PointsArithmetic.earns(sessionMilliseconds: active, minimumSessionMinutes: minimum)
    else { return nil }
    return points(of: slice, .learning, boundary) {
      PointsArithmetic.earned(activeMilliseconds: $0, rate: $1, carry: &$2)
    }
  }

  private mutating func cost(of slice: UsageSlice, _ boundary: DayBoundary) -> Int64 {
    points(of: slice, .reward, boundary) { PointsArithmetic.cost(activeMilliseconds: $0, rate: $1, carry: &$2) }
  }

  /// Returns the sum of what `count` returns for each family day of a session, with its remainder.
  private mutating func points(
    of slice: UsageSlice, _ category: AppCategory, _ boundary: DayBoundary,
    by count: (Int64, PointsRate, inout PointsRemainder) -> Int64
  ) -> Int64 {
    boundary.slices(of: slice).reduce(0) { sum, part in
      let key = CarryKey(app: slice.appID, category: category, day: part.day)
      let points = count(part.slice.activeMilliseconds, slice.rate, &carries[key, default: PointsRemainder()])
      return Moment.sum(sum, points)
    }
  }
}
