import LatchkeyModel

/// The identity of a ledger entry: its cause, its kind and its purse.
///
/// Two entries with the same cause have the same identity, so that an entry that arrives twice
/// counts once.
///
/// Spec: Protocol/11-rules.md §6.
public struct EntryID: Hashable, Sendable {
  /// The machine that wrote the entry, whose points it changes.
  public var purse: DeviceID
  public var kind: LedgerEntry.Kind
  /// The 16 bytes of the ID of the usage record or command that caused it.
  public var source: RecordID

  public init(purse: DeviceID, kind: LedgerEntry.Kind, source: RecordID) {
    (self.purse, self.kind, self.source) = (purse, kind, source)
  }
}

/// One change of a child's points, which is never changed itself.
///
/// Each machine has a *purse*: the part of the child's points that it may spend while it is not
/// connected. Only the machine itself writes entries of its purse, and never spends more than the
/// purse holds.
///
/// Spec: Protocol/11-rules.md §6.
public struct LedgerEntry: Hashable, Sendable {
  /// The cause of a change of points.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case earned
    /// A reward cost points.
    case spent
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
    /// Points were lent to the purse of another machine in the household.
    case leased
    /// Learning looked wrong and is held until a parent reviews it; the amount is 0.
    case held
    /// A parent reviewed held learning; the amount is what it earned, or 0.
    case reviewed
    /// Points for learning that another machine had already earned were taken back.
    ///
    /// The quantity is the shared time.
    case repeated
  }

  public static let largest: Int64 = 1_000_000_000_000_000

  public var id: EntryID
  /// The milli-points by which the purse changes; negative if it loses them.
  public var milliPoints: Int64
  public var day: FamilyDay
  /// The household time of writing or, of earned learning, of its start, in Unix milliseconds.
  public var at: Int64
  /// The machine whose purse points were lent to; `nil` for every other kind.
  public var other: DeviceID?
  /// The milliseconds that were redeemed, used, refunded, expired or repeated, or of learning that
  /// earned points.
  ///
  /// For held learning, it is the milli-points; otherwise 0.
  public var quantity: Int64
  /// The last day on which redeemed minutes can be used; `nil` for every other kind.
  public var lastDay: FamilyDay?
  /// The reason why learning is held; `nil` for every other kind.
  public var hold: HoldReason?
  /// A parent's reason, or empty: a *line* of at most 1,024 bytes.
  public var note: String

  public init(
    _ id: EntryID, milliPoints: Int64, day: FamilyDay, at: Int64, other: DeviceID? = nil, quantity: Int64 = 0,
    lastDay: FamilyDay? = nil, hold: HoldReason? = nil, note: String = ""
  ) {
    (self.id, self.milliPoints, self.day, self.at, self.other) = (id, milliPoints, day, at, other)
    (self.quantity, self.lastDay, self.hold, self.note) = (quantity, lastDay, hold, note)
  }

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

extension LedgerEntry {
  /// The canonical text of the entry.
  ///
  /// It has eleven fields, separated by single spaces: kind, source, purse, amount, day, time,
  /// other purse, quantity, last day, reason of a hold, note. IDs are in lower-case hexadecimal.
  /// `-` stands for a field that the kind does not have. The note may be empty and may contain
  /// spaces.
  public var text: String {
    let fields = [
      id.kind.rawValue, id.source.description, TextField.device(id.purse), String(milliPoints), day.description,
      String(at), other.map(TextField.device) ?? "-", String(quantity), lastDay?.description ?? "-",
      hold?.rawValue ?? "-", note,
    ]
    return fields.joined(separator: " ")
  }

  public init?(_ text: String) {
    guard text.utf8.count <= 2_048 else { return nil }
    let fields = text.split(separator: " ", maxSplits: 10, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 11, let kind = Kind(rawValue: fields[0]), let source = RecordID(fields[1]),
      let purse = TextField.device(fields[2]), let amount = Int64(fields[3]), let day = FamilyDay(fields[4]),
      let at = Int64(fields[5]), let quantity = Int64(fields[7])
    else { return nil }
    self.init(
      EntryID(purse: purse, kind: kind, source: source), milliPoints: amount, day: day, at: at,
      other: TextField.device(fields[6]), quantity: quantity, lastDay: FamilyDay(fields[8]),
      hold: HoldReason(rawValue: fields[9]), note: fields[10])
    guard fault == nil, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

/// The ledger of one child: a set of entries that only grows.
///
/// The balance is the sum of the entries and nothing else. Merging is commutative, associative and
/// idempotent.
///
/// Spec: Protocol/11-rules.md §6.
public struct Ledger: Sendable, Hashable {
  public private(set) var entries: [EntryID: LedgerEntry] = [:]

  private var purses: [DeviceID: Int128] = [:]
  private var earnings: [FamilyDay: Int128] = [:]

  public init(_ entries: some Sequence<LedgerEntry> = []) { for entry in entries { merge(entry) } }

  /// Adds an entry, and returns whether the ledger has changed.
  ///
  /// Every ledger keeps the same one of two entries with the same identity
  /// (`LedgerEntry.isKept(over:)`).
  @discardableResult public mutating func merge(_ entry: LedgerEntry) -> Bool {
    guard entry.fault == nil else { return false }
    if let held = entries[entry.id] {
      guard entry != held, entry.isKept(over: held) else { return false }
      count(held, -1)
    }
    entries[entry.id] = entry
    count(entry, 1)
    return true
  }

  public mutating func merge(_ other: Ledger) { for entry in other.entries.values { merge(entry) } }

  /// The child's points on all machines, in milli-points.
  public var balance: Int64 { Self.limited(purses.values.reduce(0, +)) }

  public func purse(of device: DeviceID) -> Int64 { Self.limited(purses[device] ?? 0) }

  /// Returns the milli-points in each machine's purse.
  public func purses(of devices: Set<DeviceID>) -> [DeviceID: Int64] {
    Dictionary(uniqueKeysWithValues: devices.map { ($0, purse(of: $0)) })
  }

  /// Returns the milli-points that learning earned on a day, on all machines.
  public func earned(on day: FamilyDay) -> Int64 { Self.limited(earnings[day] ?? 0) }

  private mutating func count(_ entry: LedgerEntry, _ sign: Int128) {
    let amount = Int128(entry.milliPoints) * sign
    purses[entry.id.purse, default: 0] += amount
    // A lease moves points to another purse and leaves the balance unchanged.
    if let other = entry.other { purses[other, default: 0] -= amount }
    switch entry.id.kind {
    case .earned, .reviewed, .repeated: earnings[entry.day, default: 0] += amount
    case .spent, .redeemed, .used, .refunded, .expired, .granted, .adjusted, .leased, .held: break
    }
  }

  private static func limited(_ sum: Int128) -> Int64 { Int64(clamping: sum) }

  public static func == (left: Ledger, right: Ledger) -> Bool { left.entries == right.entries }

  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
