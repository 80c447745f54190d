import LatchkeyModel
import LatchkeyRules

/// A child's points as people read them.
struct PointsPage: Sendable {
  let purse: Purse
  let names: FactNames
  let connected: Set<DeviceID>

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
    let phrase = PointsWords.phrase(entry)
    return PointsEntry(
      source: entry.id.source, short: short.short(entry.id.source.bytes), kind: entry.id.kind.rawValue,
      milliPoints: entry.id.kind == .held ? entry.quantity : entry.milliPoints, day: entry.day, at: entry.at,
      deviceName: names[entry.id.purse], words: phrase.worded(), phrase: phrase, note: entry.note)
  }
}

enum PointsWords {
  static func phrase(_ entry: LedgerEntry) -> Phrase {
    let time = ["time": Phrase.Argument.phrase(SpanText.phrase(whole: entry.quantity))]
    return switch entry.id.kind {
    case .earned: Phrase("earned by learning")
    case .spent: Phrase("spent on rewards")
    case .redeemed: Phrase("redeemed for {time}", time)
    case .used: Phrase("{time} of redeemed time used", time)
    case .refunded: Phrase("{time} given back", time)
    case .expired: Phrase("{time} of redeemed time ran out", time)
    case .granted: Phrase("given by a parent")
    case .adjusted: Phrase("changed by a parent")
    case .leased: Phrase("lent to another machine")
    case .held: Phrase("learning held, {reason}", ["reason": .phrase(reason(entry.hold))])
    case .repeated: Phrase("taken back, since another machine had earned that time")
    case .reviewed:
      entry.milliPoints > 0 ? Phrase("learning counted after a review") : Phrase("learning that did not count")
    }
  }

  private static func reason(_ hold: HoldReason?) -> Phrase {
    switch hold {
    case .notAllowed: Phrase("the program was not allowed then")
    case .noActivity: Phrase("nobody touched the machine")
    case .rewardBeside: Phrase("a reward ran beside it")
    case .clockJump, nil: Phrase("the clock was set meanwhile")
    }
  }
}

/// A child's points, as the local API shows them.
package struct PointsListing: Hashable, Sendable, Codable {
  package struct Part: Hashable, Sendable, Codable {
    package var deviceName: DeviceName
    package var milliPoints: Int64
    /// The milliseconds of redeemed time on it that can be used today.
    package var redeemedMilliseconds: Int64 = 0
    package var isHere = false
    package var isInTouch = false
  }

  package var childName: DeviceName
  package var balance: Int64
  package var here: Int64
  package var earnedToday: Int64
  /// The milliseconds of redeemed time on this machine that can be used today.
  package var redeemedMilliseconds: Int64
  package var parts: [Part]
  package var held: [PointsEntry]
  package var entries: [PointsEntry]
}

/// One change of a child's points, as the local API shows it.
package struct PointsEntry: Hashable, Sendable, Codable {
  /// The ID of the usage record or command that it follows from.
  package var source: RecordID
  /// The shortest beginning of the ID that fits no other one, at least 4 characters.
  package var short: String
  /// The kind, a word of Protocol/11-rules.md §6, such as `earned`.
  package var kind: String
  /// The change; for learning that is held, what it would earn.
  package var milliPoints: Int64
  package var day: FamilyDay
  /// When it was written, in Unix milliseconds by the household's time there.
  package var at: Int64
  /// The machine that wrote it.
  package var deviceName: DeviceName
  package var words: String
  package var phrase: Phrase?
  /// A parent's reason, which may be empty.
  package var note: String
}

package struct PointsAdjusted: Hashable, Sendable, Codable {
  package var points: PointsListing
  /// The milli-points by which they changed already.
  package var milliPoints: Int64
  /// The milli-points that are asked of the child's machines.
  package var asked: Int64
  /// The commands that ask for them; each answer says how much was taken.
  package var commands: [ConfigurationCommand]
  /// `true` if a change with the request's `idempotency-key` was made before and none was made now.
  package var isRepeated: Bool?
}

package struct PointsRedeemed: Hashable, Sendable, Codable {
  /// The milli-points that were paid, or came back.
  package var milliPoints: Int64
  /// The milliseconds that were bought or given back.
  package var milliseconds: Int64
  /// The last day on which bought time can be used; `nil` for a refund.
  package var lastDay: FamilyDay?
  package var points: PointsListing
  /// `true` if a redemption with the same `idempotency-key` was made before, and none now.
  package var isRepeated: Bool?
}
