import LatchkeyModel

/// Which accounts of a machine become a child's together with the machine.
///
/// Spec: Protocol/10-household.md §3.
extension Household {
  /// Returns for each of the named children the accounts that become the child's: those that the
  /// machine says are, or the one that fits if it says so of none.
  ///
  /// Accounts that a parent has decided about stay as they are, and no account becomes that of two
  /// children.
  func accounts(on device: DeviceID, of names: [String]) -> [[Account]] {
    guard let machine = machines.first(where: { $0.device == device }) else { return names.map { _ in [] } }
    let open = machine.accounts.filter { owners(of: $0.uid, on: device) == nil }
    let unstated = open.filter { account in !names.contains(where: account.isStated) }
    let fitting = names.map { name -> Account? in
      if machine.accounts.contains(where: { $0.isStated(name) }) { return nil }
      return Self.fitting(name, among: unstated, isAlone: names.count == 1 && machine.accounts.count == 1)
    }
    return zip(names, fitting).map { name, account in
      let isClear = fitting.count { $0 != nil && $0 == account } == 1
      return open.filter { $0.isStated(name) } + (isClear ? [account].compactMap(\.self) : [])
    }
  }

  /// Returns the account that is a child's by its name; `nil` if none fits, or several do.
  ///
  /// The only account of a machine that is one child's alone fits in any case.
  private static func fitting(_ name: String, among accounts: [Account], isAlone: Bool) -> Account? {
    let wanted = name.lowercased()
    let fitting = accounts.filter { account in
      let first = account.fullName.split(separator: " ").first.map { $0.lowercased() }
      return account.name.lowercased() == wanted || account.fullName.lowercased() == wanted || first == wanted
    }
    if fitting.count == 1 { return fitting.first }
    return isAlone && fitting.isEmpty ? accounts.first : nil
  }
}
