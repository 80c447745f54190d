/// Puts the addresses at which a peer may be into the order in which they are tried. Pure values.
///
/// The best of each kind come before the second best of any: whoever floods one kind keeps none of the others away. After
/// each race that nobody won, every kind begins one further, so that in time each address has its turn.
///
/// Spec: Protocol/02-discovery.md §8.
public struct AddressLadder<Address: Hashable & Sendable>: Sendable {
  /// How an address is known, the best first.
  public enum Rung: Int, Sendable, CaseIterable {
    /// A session was authenticated there, on the network that this machine is on now or perhaps on it.
    case proven
    /// An announcement recognised as the peer's names it.
    case announced
    /// A person gave it.
    case given
    /// The peer told it in a session.
    case told
    /// A session was authenticated there while this machine was on another network.
    case elsewhere
  }

  private var rungs: [Rung: [Address]] = [:]

  public init() {}

  /// Add an address to those of its kind that are already there, as the next best.
  public mutating func add(_ address: Address, _ rung: Rung) {
    rungs[rung, default: []].append(address)
  }

  /// All addresses in the order in which they are worth a try, each once.
  ///
  /// - Parameters:
  ///   - own: addresses that lead back to this machine; they are left out.
  ///   - lostRaces: races in a row that nobody won.
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
