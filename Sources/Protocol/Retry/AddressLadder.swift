/// The order in which the possible addresses of a peer are tried.
///
/// The best address of each kind comes before the second best of any kind, so a flood of addresses
/// of one kind does not displace the others. After each lost race, every kind begins one address
/// further, so that each address has its turn in time. A pure value.
///
/// Spec: Protocol/02-discovery.md §8.
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
  public mutating func add(_ address: Address, _ rung: Rung) {
    rungs[rung, default: []].append(address)
  }

  /// Returns all addresses in the order in which to try them, each once.
  ///
  /// - `own`: Addresses that lead back to this machine, which are left out.
  /// - `lostRaces`: The number of consecutive races that reached no peer.
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
