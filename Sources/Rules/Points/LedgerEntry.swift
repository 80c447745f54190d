import LatchkeyModel

/// The identity of a ledger entry: what it follows from, as what, and in whose purse.
///
/// Two entries that follow from the same thing have the same identity, so that arriving twice is one.
///
/// Spec: Protocol/11-rules.md §6.
public struct EntryID: Hashable, Sendable {
  /// The machine that wrote the entry, which is the one whose points it changes.
  public var purse: DeviceID
  /// The kind of the entry.
  public var kind: LedgerEntry.Kind
  /// The 16 bytes of the usage record or the command that it follows from.
  public var source: RecordID

  /// Creates an identity.
  public init(purse: DeviceID, kind: LedgerEntry.Kind, source: RecordID) {
    self.purse = purse
    self.kind = kind
    self.source = source
  }
}

/// One change of a child's points, which never changes itself.
///
/// Each machine has a *purse*: the part of the child's points that it may spend while apart. Only the machine itself
/// writes entries of its purse, and never more than the purse holds.
///
/// Spec: Protocol/11-rules.md §6.
public struct LedgerEntry: Hashable, Sendable {
  /// What changed the points.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Learning earned points.
    case earned
    /// A reward cost points.
    case spent
    /// Points were redeemed for minutes.
    case redeemed
    /// Redeemed minutes were used. The amount is 0.
    case used
    /// Redeemed minutes were given back.
    case refunded
    /// Redeemed minutes ran out unused. The amount is 0.
    case expired
    /// A parent gave points.
    case granted
    /// A parent changed the points, for a reason.
    case adjusted
    /// Points were lent to the purse of another machine of the household.
    case leased
    /// Learning looks wrong and waits for a parent. The amount is 0.
    case held
    /// A parent decided about learning that was held: the amount is what it earned, or 0.
    case reviewed
    /// Learning that another machine had earned at the same time was taken back; the quantity is that time.
    case repeated
  }

  /// The longest note, in bytes of UTF-8.
  public static let longestNote = 1_024
  /// The largest amount and quantity.
  public static let largest: Int64 = 1_000_000_000_000_000

  /// The identity.
  public var id: EntryID
  /// The milli-points by which the purse changes; negative if it loses them.
  public var milliPoints: Int64
  /// The family's day on which it happened.
  public var day: FamilyDay
  /// The household's time in Unix milliseconds: for learning that earned, its start; otherwise when it was written.
  public var at: Int64
  /// The machine to whose purse points were lent; `nil` for every other kind.
  public var other: DeviceID?
  /// The milliseconds redeemed, used, refunded, expired or repeated, or of learning that earned; for learning that is
  /// held, the milli-points; otherwise 0.
  public var quantity: Int64
  /// The last day on which redeemed minutes can be used; `nil` for every other kind.
  public var lastDay: FamilyDay?
  /// Why learning is held; `nil` for every other kind.
  public var hold: HoldReason?
  /// A parent's reason, or empty: a *line* of at most 1,024 bytes.
  public var note: String

  /// Creates an entry.
  public init(
    _ id: EntryID, milliPoints: Int64, day: FamilyDay, at: Int64, other: DeviceID? = nil, quantity: Int64 = 0,
    lastDay: FamilyDay? = nil, hold: HoldReason? = nil, note: String = ""
  ) {
    self.id = id
    self.milliPoints = milliPoints
    self.day = day
    self.at = at
    self.other = other
    self.quantity = quantity
    self.lastDay = lastDay
    self.hold = hold
    self.note = note
  }

  /// A sentence that describes why no machine can take the entry; `nil` if it can be taken.
  public var fault: String? {
    let amounts: ClosedRange<Int64> =
      switch id.kind {
      case .earned, .refunded, .granted, .reviewed: 0...Self.largest
      case .spent, .redeemed, .leased, .repeated: -Self.largest...0
      case .used, .expired, .held: 0...0
      case .adjusted: -Self.largest...Self.largest
      }
    if !amounts.contains(milliPoints) { return "The amount does not fit its kind of entry." }
    if !(0...Self.largest).contains(quantity) { return "The quantity is out of range." }
    if !HybridTimestamp.walls.contains(at) { return "The entry is at a time that no calendar has." }
    if (other != nil) != (id.kind == .leased) || other == id.purse { return "Points are lent to another machine." }
    if (lastDay != nil) != (id.kind == .redeemed) { return "Redeemed minutes, and only those, have a last day." }
    if (hold != nil) != (id.kind == .held) { return "What is held, and only that, has a reason to be held." }
    return TextRule.reason.fault(in: note)
  }
}

/// Why learning is held for review.
public enum HoldReason: String, Hashable, Sendable, CaseIterable {
  /// A rule had closed the program, and it ran on.
  case notAllowed
  /// The program ran, and nobody touched the machine.
  case noActivity
  /// A reward was active beside it.
  case rewardBeside
  /// The clock was set during the session.
  case clockJump
}
