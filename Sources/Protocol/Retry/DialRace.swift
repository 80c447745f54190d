import LatchkeyModel

/// One try at a peer: addresses are called side by side, each a little after the one before, and the first that is
/// authenticated wins. Pure values; the state diagram is in the specification.
///
/// Spec: Protocol/02-discovery.md §8.
public struct DialRace<Address: Hashable & Sendable>: Sendable {
  /// Milliseconds between two starts while the earlier call is still open.
  public static var spacing: Int64 { 250 }
  /// Addresses that take part at most.
  public static var most: Int { 8 }

  private var waiting: [Address] = []
  private var calling: Set<Address> = []
  private var taken: Set<Address> = []
  private var nextStart: BootInstant
  /// The address that won.
  public private(set) var winner: Address?

  /// Begin; `start` tells what to call.
  ///
  /// - Parameter addresses: the best first.
  public init(_ addresses: [Address], now: BootInstant) {
    nextStart = now
    offered(addresses, now: now)
  }

  /// Whether it has been won, or nothing is left to call or to wait for.
  public var isOver: Bool { winner != nil || (waiting.isEmpty && calling.isEmpty) }

  /// When `start` should be called next; nil when only answers and offers count.
  public var nextTimer: BootInstant? { winner == nil && !waiting.isEmpty ? nextStart : nil }

  /// Let addresses take part that became known just now, ahead of those that have not been called, the last of which make
  /// room for them. The first is due at once: it is a better guess than any that has hung so far. Those that took part
  /// already stay as they are.
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

  /// Give the addresses that are due to be called.
  public mutating func start(now: BootInstant) -> [Address] {
    guard winner == nil, now >= nextStart, !waiting.isEmpty else { return [] }
    let address = waiting.removeFirst()
    calling.insert(address)
    nextStart = now + Self.spacing
    return [address]
  }

  /// A call came to nothing: the next one need not wait.
  public mutating func failed(_ address: Address, now: BootInstant) {
    if calling.remove(address) != nil { nextStart = now }
  }

  /// A call was authenticated.
  ///
  /// - Returns: whether it wins; every other one is to be closed.
  public mutating func authenticated(_ address: Address) -> Bool {
    guard winner == nil, calling.contains(address) else { return false }
    winner = address
    waiting = []
    return true
  }
}
