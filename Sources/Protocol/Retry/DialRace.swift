import LatchkeyModel

/// One attempt to reach a peer: addresses are called side by side, each a little later than the one
/// before, and the first call that is authenticated wins.
///
/// A pure value. The state diagram is in the specification.
///
/// Spec: Protocol/02-discovery.md §8.
public struct DialRace<Address: Hashable & Sendable>: Sendable {
  /// The time between two calls while the earlier one is still open, in milliseconds.
  public static var spacing: Int64 { 250 }
  /// The largest number of addresses in a race.
  public static var most: Int { 8 }

  private var waiting: [Address] = []
  private var calling: Set<Address> = []
  private var taken: Set<Address> = []
  private var nextStart: BootInstant
  /// The address whose call won.
  public private(set) var winner: Address?

  /// Begins a race with these addresses, best first.
  ///
  /// `start` returns the ones to call.
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

  /// Records that a call was authenticated.
  ///
  /// Returns whether it wins; all others are to be closed.
  public mutating func authenticated(_ address: Address) -> Bool {
    guard winner == nil, calling.contains(address) else { return false }
    winner = address
    waiting = []
    return true
  }
}
