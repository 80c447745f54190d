import LatchkeyModel

/// The pace at which a peer is called; jitter is a random number in 0 to 1.
///
/// A pure value. Spec: Protocol/04-session.md §5.
public struct DialPace: Sendable, Hashable {
  private var backoff = Backoff()
  /// A Boolean value that indicates whether the last session was useful.
  private var lastedLong = true
  /// The delay after a useful session, and the shortest time between two attempts, in milliseconds.
  public static let shortest: Int64 = 200
  /// The duration from which a session counts as useful, in milliseconds.
  private static let use: Int64 = 5_000

  public init() {}

  /// The number of attempts that failed since the last sign of life.
  public var failures: Int { backoff.failures }

  /// A Boolean value that indicates whether the last session ended soon after it began.
  ///
  /// If so, only time or a sign of life justifies another attempt.
  public var hasFallenApart: Bool { !lastedLong }

  /// Records the end of a session, and its duration in milliseconds, whichever side began it; a
  /// useful session is a sign of life.
  public mutating func sessionEnded(after milliseconds: Int64) {
    lastedLong = milliseconds >= Self.use
    if lastedLong { backoff.reset() }
  }

  /// Returns the delay before our next call, in milliseconds, after a session that the peer began
  /// ended too soon.
  public mutating func fellApart(jitter: Double) -> Int64 { backoff.failed(jitter: jitter) }

  /// Returns the delay in milliseconds after a call whose session has ended.
  ///
  /// A session that did not last is a failed attempt, since machines that cannot proceed must not
  /// reconnect in a loop.
  public mutating func served(jitter: Double) -> Int64 {
    guard lastedLong else { return backoff.failed(jitter: jitter) }
    backoff.reset()
    return Self.shortest
  }

  /// Returns the delay after a failed call, in milliseconds from its beginning.
  ///
  /// If nothing answered (`isUnreachable`), the network may become available at any moment without
  /// notice. Such calls cost a packet or two and stay frequent. In a crowd they are less frequent,
  /// or a thousand machines would call the one that all of them have lost.
  public mutating func failed(jitter: Double, isUnreachable: Bool = false, crowd: Int = 1) -> Int64 {
    lastedLong = true
    return backoff.failed(jitter: jitter, longest: isUnreachable ? Self.longest(crowd: crowd) : 60_000)
  }

  /// Returns the delay in milliseconds after a sign of life that a crowd notices at one moment,
  /// such as an announcement.
  ///
  /// The delay grows with the crowd, since no constant suits all sizes. With 250 ms, about 230 of a
  /// thousand children are refused. A family of five has no reason to wait longer than 10 ms.
  public static func spread(jitter: Double, crowd: Int) -> Int64 {
    Int64(Double(min(2 * Int64(clamping: crowd), 4_000)) * min(max(jitter, 0), 1))
  }

  /// Returns the longest delay for a peer that cannot be reached, in milliseconds.
  private static func longest(crowd: Int) -> Int64 { min(max(3_000, 50 * Int64(clamping: crowd)), 60_000) }

  /// Restarts the back-off because something indicates that an attempt may succeed.
  public mutating func signOfLife() { backoff.reset() }
}

/// A generator of jitter, which keeps many machines from acting at the same moment.
///
/// No secret depends on it. A pure value; the generator is SplitMix64 (Steele, Lea and Flood,
/// 2014).
public struct JitterSource: Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// Returns the next number in 0 to 1.
  public mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / Double(UInt64(1) << 53)
  }
}

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
  /// They are called before the addresses that still wait. The last of these make room for them.
  /// The first one is due at once, since it is a better guess than any that has not answered so
  /// far. Addresses that take part already keep their places.
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
