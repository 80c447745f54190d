import LatchkeyModel

/// The order in which the possible addresses of a peer are tried.
///
/// The best address of each kind comes before the second best of any kind, so a flood of addresses
/// of one kind does not displace the others. After each lost race, every kind begins one address
/// further, so that each address has its turn in time. A pure value. Spec: Protocol/02-discovery.md
/// §8.
public struct AddressLadder<Address: Hashable & Sendable>: Sendable {
  /// The source of an address, best first.
  public enum Rung: Int, Sendable, CaseIterable {
    /// A session was authenticated there, on the present network or possibly on it.
    case proven
    /// The peer's announcement contains it.
    case announced
    /// A person entered it.
    case given
    /// The peer stated it in a session.
    case told
    /// A session was authenticated there, but on another network.
    case elsewhere
  }

  private var rungs: [Rung: [Address]] = [:]

  public init() {}

  /// Adds an address after those of its kind that were added before.
  public mutating func add(_ address: Address, _ rung: Rung) { rungs[rung, default: []].append(address) }

  /// Returns all addresses, but those that lead back to this machine, in the order in which to try
  /// them.
  ///
  /// `lostRaces` is the number of consecutive races that reached no peer.
  public func order(without own: Set<Address>, lostRaces: Int) -> [Address] {
    let columns = Rung.allCases.map { rung -> [Address] in
      let addresses = rungs[rung] ?? []
      guard !addresses.isEmpty else { return [] }
      let first = lostRaces % addresses.count
      return Array(addresses[first...] + addresses[..<first])
    }
    var seen = own
    var order: [Address] = []
    for place in 0..<(columns.map(\.count).max() ?? 0) {
      for column in columns where place < column.count && seen.insert(column[place]).inserted {
        order.append(column[place])
      }
    }
    return order
  }
}

/// One attempt to reach a peer: addresses are called side by side, each a little later than the one
/// before, and the first call that is authenticated wins.
///
/// A pure value. The state diagram is in the specification. Spec: Protocol/02-discovery.md §8.
public struct DialRace<Address: Hashable & Sendable>: Sendable {
  /// The time between two calls while the earlier one is still open, in milliseconds.
  public static var spacing: Int64 { 250 }
  /// The largest number of addresses in a race.
  public static var most: Int { 8 }

  private var waiting: [Address] = []
  private var calling: Set<Address> = []
  private var taken: Set<Address> = []
  private var nextStart: BootInstant
  public private(set) var winner: Address?

  /// Begins a race with these addresses, best first; `start` returns the ones to call.
  public init(_ addresses: [Address], now: BootInstant) {
    nextStart = now
    offered(addresses, now: now)
  }

  /// A Boolean value that indicates whether a call won, or no address is left to call or to wait
  /// for.
  public var isOver: Bool { winner != nil || (waiting.isEmpty && calling.isEmpty) }

  /// The time at which `start` should be called next; `nil` if no address is waiting.
  public var nextTimer: BootInstant? { winner == nil && !waiting.isEmpty ? nextStart : nil }

  /// Adds addresses that have just become known.
  ///
  /// They are called before those that still wait, the last of which make room for them. The first
  /// one is due at once, since it is a better guess than any that has not answered so far.
  /// Addresses that take part already keep their places.
  public mutating func offered(_ addresses: [Address], now: BootInstant) {
    var new: [Address] = []
    for address in addresses where !taken.contains(address) {
      if taken.count >= Self.most {
        guard let last = waiting.popLast() else { break }
        taken.remove(last)
      }
      taken.insert(address)
      new.append(address)
    }
    guard !new.isEmpty else { return }
    waiting = new + waiting
    nextStart = now
  }

  /// Returns the addresses that are due to be called.
  public mutating func start(now: BootInstant) -> [Address] {
    guard winner == nil, now >= nextStart, !waiting.isEmpty else { return [] }
    let address = waiting.removeFirst()
    calling.insert(address)
    nextStart = now + Self.spacing
    return [address]
  }

  /// Records a failed call, so that the next one starts at once.
  public mutating func failed(_ address: Address, now: BootInstant) {
    if calling.remove(address) != nil { nextStart = now }
  }

  /// Records that a call was authenticated; returns whether it wins; all others are to be closed.
  public mutating func authenticated(_ address: Address) -> Bool {
    guard winner == nil, calling.contains(address) else { return false }
    winner = address
    waiting = []
    return true
  }
}

/// The outcome of a call to an address that did not lead to the paired device.
public enum CallOutcome: Hashable, Sendable {
  /// No connection was established.
  case unreachable(String)
  /// The device that answered is not the paired device.
  case failed(String)
  /// The device that answered closed the connection without a message: it is another device, or it
  /// no longer knows this one.
  case silent(String)

  /// One sentence that describes the outcome to a person.
  public var reason: String {
    switch self {
    case .unreachable(let reason), .failed(let reason), .silent(let reason): reason
    }
  }
}
