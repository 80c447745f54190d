import LatchkeyModel
import LatchkeyRules

/// The points of a child within a transaction.
///
/// Spec: Protocol/11-rules.md §6.
extension EffectTransaction {
  /// Returns the ledger of a child, as this machine knows it.
  public func ledger(of child: ChildID) throws -> Ledger {
    try value(of: .ledger, child, empty: Ledger()) { ledger, facts in
      for entry in facts.lazy.compactMap({ LedgerEntry($0.text) }) { ledger.merge(entry) }
    }
  }

  /// Returns this machine's purse of a child, without the remainders of sessions.
  public func purse(of child: ChildID) throws -> Purse { Purse(device: own, ledger: try ledger(of: child)) }

  /// Keeps an entry that this machine has written.
  public mutating func add(_ entry: LedgerEntry, of child: ChildID) throws {
    try add(Fact(child, .ledger, entry.text))
  }

  /// Throws `BodyFault` unless this machine is a child's.
  func checkServes(_ child: ChildID) throws {
    guard HouseholdKey.children(servedIn: try registers(in: .machine(own))).contains(child) else {
      throw BodyFault.notTheChilds
    }
  }
}

extension BodyFault {
  /// A command is about a child whose machine the receiver is not.
  static var notTheChilds: BodyFault {
    BodyFault(
      phrase: Phrase(
        """
        That machine is not this child's: `latchkey devices rename` with the machine's name and --child says whose it is.
        """))
  }
}
