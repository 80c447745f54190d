import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Synchronization

/// The registers of one edition, with the rules that were read from them.
///
/// Reading the rules takes longer the more a family has set, and one session or one page asks for
/// them several times.
final class RuleBook: Sendable {
  let edition: Int64
  /// What this machine holds or, on a parent, has set.
  let registers: RegisterMap
  /// What each child's machine says that it holds where another parent has set it.
  let told: [DeviceID: RegisterMap]
  /// What each child's machine says that it holds and this machine has set, but does not know any
  /// more.
  let lost: [DeviceID: [Register]]
  private let read = Mutex<[ChildID?: RuleSet]>([:])

  init(_ known: KnownRegisters, own: DeviceID) {
    (edition, registers) = (known.edition, known.own)
    var told: [DeviceID: RegisterMap] = [:]
    var lost: [DeviceID: [Register]] = [:]
    for (device, map) in known.told {
      told[device] = RegisterMap(map.registers.filter { $0.modified.author != own })
      let owns = map.registers.filter { register in
        register.modified.author == own
          && known.own[register.zone, register.key].map { register.holds(over: $0) } ?? true
      }
      if !owns.isEmpty { lost[device] = owns }
    }
    (self.told, self.lost) = (told, lost)
  }

  /// Returns the rules of a child, which are read from the registers when they are asked for the
  /// first time.
  func rules(for child: ChildID?, _ registers: () -> [Register]) -> RuleSet {
    if let rules = read.withLock({ $0[child] }) { return rules }
    let rules = RuleSet.read(registers(), child: child).rules
    read.withLock { $0[child] = rules }
    return rules
  }
}

/// Reads the household, and keeps what was read of its registers for as long as that holds.
final class HouseholdReader: Sendable {
  private let store: Store
  private let own: DeviceID
  private let bootID: String
  private let last = Mutex<Held?>(nil)

  /// What was read with the last edition.
  private struct Held: Sendable {
    var book: RuleBook
    var accounts: [DeviceID: [Account]]
  }

  /// Creates a reader of a machine's database in a boot: who is there holds in its own boot alone.
  init(_ store: Store, own: DeviceID, bootID: String) { (self.store, self.own, self.bootID) = (store, own, bootID) }

  /// Returns the household as this node knows it.
  func load() async throws(StoreError) -> Household {
    let held = last.withLock { $0 }
    let reading = try await store.household(unless: held?.book.edition)
    guard
      let known = reading.registers.map({ Held(book: RuleBook($0, own: own), accounts: reading.accounts) }) ?? held
    else {
      throw StoreError.unexpected("registers without an edition")
    }
    last.withLock { $0 = known }
    let machines = reading.machines.map { machine in
      Household.Machine(
        device: machine.device, name: machine.name, childName: machine.childName,
        isToBeAssigned: machine.isToBeAssigned, accounts: known.accounts[machine.device] ?? [])
    }
    let present = reading.present.filter { $0.bootID == bootID }
    return Household(
      book: known.book, machines: machines, ownAccounts: known.accounts[own] ?? [],
      present: Dictionary(present.map { ($0.account, $0.child) }) { first, _ in first }.compactMapValues(\.self))
  }
}
