import LatchkeyModel
import Synchronization

/// What the node does not tell again about pairings that were begun on a page: the codes, which
/// stand only in the answer to the request that opened them, and who said no.
///
/// It is kept in memory alone, and the codes only until a page shows that the pairing has ended.
final class OpenPairings: Sendable {
  /// The codes of a pairing.
  struct Codes: Hashable, Sendable {
    /// The long code, in groups of five.
    var long: String
    /// The short code; `nil` if there is none.
    var typed: String?
  }

  private struct Entry {
    var id: String
    var codes: Codes?
    var isRefusedHere = false
  }

  /// The number of pairings.
  ///
  /// One more drops the oldest.
  static let most = 32

  private let entries = Mutex<[Entry]>([])

  /// Keeps the codes of a pairing, from the node's answer that has opened them.
  func opened(_ pairing: PairingProgress) {
    entries.withLock { entries in
      if entries.count == Self.most { entries.removeFirst() }
      let codes = pairing.code.map { Codes(long: $0, typed: pairing.typedCode) }
      entries.append(Entry(id: pairing.pairingID, codes: codes))
    }
  }

  /// Notes that the person here turned the other machine away.
  func refused(_ id: String) {
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.id == id }) {
        entries[index].isRefusedHere = true
      } else {
        entries.append(Entry(id: id, codes: nil, isRefusedHere: true))
      }
      if entries.count > Self.most { entries.removeFirst() }
    }
  }

  /// Forgets the codes of a pairing that has ended.
  func ended(_ id: String) {
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].codes = nil }
    }
  }

  /// Returns the codes of a pairing; `nil` if it was begun elsewhere, or has ended.
  func codes(_ id: String) -> Codes? { entries.withLock { $0.first { $0.id == id }?.codes } }

  /// Returns whether the person here turned the other machine away.
  func isRefusedHere(_ id: String) -> Bool { entries.withLock { $0.first { $0.id == id }?.isRefusedHere == true } }
}
