import Foundation
import GRDB
import LatchkeyModel

/// The accounts of this machine, a child's. Spec: Protocol/10-household.md §3.
extension Store {
  /// Keeps the accounts of this machine, a child's, and reports them to its parents if they have
  /// changed.
  ///
  /// There are at most 64 accounts, in the order of their numbers. If a number belongs to another
  /// account than before, the registers about its owner are deleted, parents get a report, and the
  /// presence in it ends. `key` and `nameKey` return the key of the register about the owner of an
  /// account, by number or log-in name.
  public func setAccounts(
    _ accounts: [Account], _ identities: [AccountIdentity] = [],
    key: @escaping @Sendable (UInt32) -> RegisterKey? = { _ in nil },
    nameKey: @escaping @Sendable (String) -> RegisterKey? = { _ in nil }, at wall: Int64
  ) async throws(StoreError) -> AccountsKept {
    try await commits.commit(.upkeep) { [own] database in
      var result = AccountsKept()
      var owners: [(key: RegisterKey, value: String?)] = []
      for var identity in identities {
        let before = try database.accountIdentity(identity.uid)
        // A home that is not there now, as an encrypted one, was no other.
        if let before, before.name == identity.name, identity.homeMark.isEmpty { identity.homeMark = before.homeMark }
        guard before != identity else { continue }
        if let before, !identity.isSameAccount(as: before) {
          result.takenOver.append(identity)
          try database.run("DELETE FROM present_child WHERE account = ?", [identity.uid])
          owners.append(contentsOf: [key(identity.uid)].compactMap { $0.map { ($0, nil) } })
        } else if let before, before.name != identity.name, let old = nameKey(before.name),
          let owner = try database.register(old, in: .machine(own))?.value, let number = key(identity.uid)
        {
          // Whose it was by its name before, it is by its number.
          owners += [(number, owner), (old, nil)]
        }
        try database.run(
          "INSERT OR REPLACE INTO account_identity VALUES (?, ?, ?, ?)",
          [identity.uid, identity.name, identity.home, identity.homeMark])
      }
      let parents = try database.addresses(role: .parent)
      let changed = try database.setOwners(owners, own: own, at: wall)
      if !changed.isEmpty {
        for parent in parents { result.changes += try database.queue(changed, for: parent, self, at: wall) }
      }
      let inventories = Inventories(database: database, store: self, wall: wall)
      result.changes += try inventories.set(EntryList(accounts)).changes
      return result
    }
  }

  public func accounts(of device: DeviceID) async throws(StoreError) -> [Account] {
    try await inventory(Account.self, of: device)?.entries.sorted() ?? []
  }

  /// Returns the identities of this machine's accounts by number.
  public func accountIdentities() async throws(StoreError) -> [UInt32: AccountIdentity] {
    try await read { database in
      let rows = try database.rows("SELECT * FROM account_identity").map(AccountIdentity.init(row:))
      return Dictionary(rows.map { ($0.uid, $0) }) { first, _ in first }
    }
  }
}

/// The effects of keeping the accounts.
public struct AccountsKept: Sendable {
  /// The streams with items for parents.
  public var changes: [OutboxChange] = []
  /// The accounts with numbers that others had before.
  public var takenOver: [AccountIdentity] = []
}

extension Database {
  fileprivate func accountIdentity(_ uid: UInt32) throws -> AccountIdentity? {
    try row("SELECT * FROM account_identity WHERE uid = ?", [uid]).map(AccountIdentity.init(row:))
  }

  /// Sets registers of the machine's own zone about owners of accounts, and returns the changed
  /// ones.
  ///
  /// A register that is missing is not deleted.
  fileprivate func setOwners(
    _ owners: [(key: RegisterKey, value: String?)], own: DeviceID, at wall: Int64
  ) throws -> [Register] {
    let zone = Zone.machine(own)
    var changed: [Register] = []
    for (key, value) in owners {
      let held = try register(key, in: zone)
      guard held?.value != value else { continue }
      let modified = try tick(wall: wall, author: own).after(held?.modified)
      let next = Register(zone, key, value, modified: modified)
      try save(next)
      changed.append(next)
    }
    return changed
  }
}

extension AccountIdentity {
  fileprivate init(row: Row) {
    self.init(
      uid: UInt32(clamping: row["uid"] as Int64), name: row["name"], home: row["home"], homeMark: row["home_mark"])
  }
}
