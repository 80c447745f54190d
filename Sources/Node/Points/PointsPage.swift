import LatchkeyModel
import LatchkeyRules

/// A child's points as people read them.
struct PointsPage: Sendable {
  let purse: Purse
  let names: FactNames
  /// The machines that are in touch with this one.
  let connected: Set<DeviceID>

  /// Returns the entries of learning that wait for a review.
  static func held(in ledger: Ledger) -> [LedgerEntry] {
    ledger.entries.values.filter { entry in
      guard entry.id.kind == .held else { return false }
      return ledger.entries[EntryID(purse: entry.id.purse, kind: .reviewed, source: entry.id.source)] == nil
    }.sorted { ($0.at, $0.text) < ($1.at, $1.text) }
  }

  func points(of name: DeviceName, on day: FamilyDay, limit: Int) -> PointsListing {
    let ledger = purse.ledger
    let waiting = Self.held(in: ledger)
    // Points that change machines stay the child's.
    let changes = ledger.entries.values.filter { entry in
      switch entry.id.kind {
      case .leased, .held: false
      case .earned, .spent, .repeated: entry.milliPoints != 0
      case .redeemed, .used, .refunded, .expired, .granted, .adjusted, .reviewed: true
      }
    }.sorted { ($1.at, $1.text) < ($0.at, $0.text) }.prefix(max(0, limit))
    let short = ShortIDs((waiting + changes).map(\.id.source.bytes))
    return PointsListing(
      childName: name, balance: ledger.balance, here: purse.spendable, earnedToday: ledger.earned(on: day),
      redeemedMilliseconds: purse.redeemed(on: day).map(\.milliseconds).limitedSum, parts: parts(on: day),
      held: waiting.map { listing($0, short) }, entries: changes.map { listing($0, short) })
  }

  private func parts(on day: FamilyDay) -> [PointsListing.Part] {
    var devices: Set<DeviceID> = []
    for entry in purse.ledger.entries.values {
      devices.insert(entry.id.purse)
      if let other = entry.other { devices.insert(other) }
    }
    let redeemed = purse.ledger.redeemed(on: day, beside: purse.device)
    return devices.sorted().compactMap { device in
      let milliPoints = purse.ledger.purse(of: device)
      let time = device == purse.device ? purse.redeemed(on: day) : redeemed[device] ?? []
      guard milliPoints != 0 || !time.isEmpty else { return nil }
      return PointsListing.Part(
        deviceName: names[device], milliPoints: milliPoints,
        redeemedMilliseconds: time.map(\.milliseconds).limitedSum, isHere: device == purse.device,
        isInTouch: connected.contains(device))
    }
  }

  private func listing(_ entry: LedgerEntry, _ short: ShortIDs) -> PointsEntry {
    PointsEntry(
      source: entry.id.source, short: short.short(entry.id.source.bytes), kind: entry.id.kind.rawValue,
      milliPoints: entry.id.kind == .held ? entry.quantity : entry.milliPoints, day: entry.day, at: entry.at,
      deviceName: names[entry.id.purse], words: Self.words(entry), note: entry.note)
  }

  private static func words(_ entry: LedgerEntry) -> String {
    let minutes = SpanText.minutes(Int(clamping: entry.quantity / 60_000))
    return switch entry.id.kind {
    case .earned: "earned by learning"
    case .spent: "spent on rewards"
    case .redeemed: "redeemed for \(minutes)"
    case .used: "\(minutes) of redeemed time used"
    case .refunded: "\(minutes) given back"
    case .expired: "\(minutes) of redeemed time ran out"
    case .granted: "given by a parent"
    case .adjusted: "changed by a parent"
    case .leased: "lent to another machine"
    case .held: "learning held, \(Self.reason(entry.hold))"
    case .repeated: "taken back, since another machine had earned that time"
    case .reviewed: entry.milliPoints > 0 ? "learning counted after a review" : "learning that did not count"
    }
  }

  private static func reason(_ hold: HoldReason?) -> String {
    switch hold {
    case .notAllowed: "the program was not allowed then"
    case .noActivity: "nobody touched the machine"
    case .rewardBeside: "a reward ran beside it"
    case .clockJump, nil: "the clock was set meanwhile"
    }
  }
}
