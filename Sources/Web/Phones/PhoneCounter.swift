import Synchronization

/// The connections and requests of phones, of which everybody in the network may open some.
///
/// Spec: Protocol/15-pages.md §8.
final class PhoneCounter: Sendable {
  /// The most of one address, of a proxy on this machine, and of all together.
  struct Bound: Sendable {
    var one: Int
    var proxy: Int
    var all: Int

    /// Returns the most of an address.
    func most(of address: String) -> Int { address == PhoneService.proxyAddress ? proxy : one }
  }

  /// The bound of connections.
  static let connections = Bound(one: 16, proxy: 64, all: 96)
  /// The bound of requests at a time, from their headers until their answers were taken: a
  /// connection may send many, and each may have the node asked.
  static let requests = Bound(one: 16, proxy: 48, all: 64)

  private let open = Mutex<[String: Int]>([:])
  private let asked = Mutex<[String: Int]>([:])

  /// Counts a connection; returns whether there is room for it.
  func begin(_ address: String) -> Bool { open.withLock { Self.add(address, to: &$0, Self.connections) } }

  /// Notes that a connection has ended.
  func end(_ address: String) { open.withLock { Self.remove(address, from: &$0) } }

  /// Counts a request; returns whether there is room for it.
  func ask(_ address: String) -> Bool { asked.withLock { Self.add(address, to: &$0, Self.requests) } }

  /// Notes that the answer to a request was taken.
  func answered(_ address: String) { asked.withLock { Self.remove(address, from: &$0) } }

  private static func add(_ address: String, to counts: inout [String: Int], _ bound: Bound) -> Bool {
    guard counts[address, default: 0] < bound.most(of: address), counts.values.reduce(0, +) < bound.all else {
      return false
    }
    counts[address, default: 0] += 1
    return true
  }

  private static func remove(_ address: String, from counts: inout [String: Int]) {
    let rest = counts[address, default: 0] - 1
    counts[address] = rest > 0 ? rest : nil
  }
}
