import LatchkeyModel

/// The ledger of one child: a set of entries that only grows.
///
/// The balance is the sum of the entries and nothing else. Merging is commutative, associative and
/// idempotent.
///
/// Spec: Protocol/11-rules.md §6.
public struct Ledger: Sendable {
  public private(set) var entries: [EntryID: LedgerEntry] = [:]

  private var purses: [DeviceID: Int128] = [:]
  private var earnings: [FamilyDay: Int128] = [:]

  public init(_ entries: some Sequence<LedgerEntry> = []) {
    for entry in entries { merge(entry) }
  }

  /// Adds an entry, and returns whether the ledger has changed.
  ///
  /// Every ledger keeps the same one of two entries with the same identity
  /// (`LedgerEntry.isKept(over:)`).
  @discardableResult
  public mutating func merge(_ entry: LedgerEntry) -> Bool {
    guard entry.fault == nil else { return false }
    if let held = entries[entry.id] {
      guard entry != held, entry.isKept(over: held) else { return false }
      count(held, -1)
    }
    entries[entry.id] = entry
    count(entry, 1)
    return true
  }

  public mutating func merge(_ other: Ledger) {
    for entry in other.entries.values { merge(entry) }
  }

  /// The child's points on all machines, in milli-points.
  public var balance: Int64 { Self.limited(purses.values.reduce(0, +)) }

  /// Returns the milli-points in a machine's purse.
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
}

extension Ledger: Hashable {
  public static func == (left: Ledger, right: Ledger) -> Bool { left.entries == right.entries }

  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
