import LatchkeyModel
import LatchkeyRules

public struct FamilyMoment: Hashable, Sendable {
  public var day: FamilyDay
  /// The household's time in Unix milliseconds.
  public var at: Int64

  public init(day: FamilyDay, at: Int64) { (self.day, self.at) = (day, at) }
}

/// The way of points to the machine that wants them, and the points of a session.
///
/// **Points come to rest**, also after machines were restored to older states, whether anybody
/// noticed that or not. Let no reward begin or end, nobody redeem or edit, and no machine be
/// restored or started any more. Then points change purses a bounded number of times, because each
/// loan carries the statement that it rests on to the machine that made it:
///
/// - A parent lends to one of several machines only on that machine's `need` *yes*, and sends it
///   along. The machine then holds this statement or a later one of its own. If it wants nothing,
///   it says *no* with a later time, which the parent keeps whatever it held. So each parent makes
///   at most one loan on a *yes* that its author does not stand by.
/// - A machine returns what it does not want only to a parent whose `machines` names others, and
///   sends that along. If it is not what the parent's registers say, the parent states those with a
///   later time before it lends again. So the two disagree at most once on whether the machine is
///   the only one.
/// - A machine that wants points returns some only to share them: once for each statement of
///   another machine, and no new ones are made. It wants them for good, or until it has given back
///   what it owes, which is finite.
///
/// Without that, a machine that was restored to a state from before its *yes* would say nothing,
/// since it does not know of that *yes*; the parent would lend and the machine return for ever.
///
/// Spec: Protocol/11-rules.md §7, Protocol/12-facts.md §6.
extension EffectTransaction {
  /// On a parent's machine: says to which machines it lends a child's points, and lends those that
  /// they want.
  ///
  /// `machines` are the child's machines by the parent's own registers, `connected` those that are
  /// in touch, and `awaited` those that were in touch until a moment ago, whose share is kept for
  /// them. `source` returns a new ID. Throws the database's error, or `BodyFault` if there is no
  /// room for an entry.
  public mutating func lendPoints(
    of child: ChildID, to machines: Set<DeviceID>, connected: Set<DeviceID>, awaited: Set<DeviceID> = [],
    at moment: FamilyMoment, clock: () throws -> HybridTimestamp, source: () -> RecordID?
  ) throws {
    let said = try facts(.machines, of: child).compactMap { ChildMachines($0.text) }
      .first { $0.modified.author == own }
    let now = ChildMachines(modified: .never, machines: machines).machines
    if said?.machines ?? [] != now {
      let modified = try clock().after(said?.modified)
      try add(Fact(child, .machines, ChildMachines(modified: modified, machines: now).text))
    }
    var purse = try purse(of: child)
    guard purse.spendable > 0 else { return }
    let needs = try needs(of: child)
    let asking = Set(needs.filter(\.isNeeded).map(\.modified.author)).intersection(connected.union(awaited))
    let loans = LeasePolicy.loans(
      purse: purse.spendable, machines: machines, asking: asking, held: purse.ledger.purses(of: asking))
    for loan in loans where connected.contains(loan.to) {
      guard let source = source(),
        let entry = purse.lend(loan.milliPoints, to: loan.to, source: source, day: moment.day, at: moment.at)
      else { continue }
      try add(entry, of: child)
      if let need = needs.first(where: { $0.modified.author == loan.to }) {
        try remind(loan.to, of: Fact(child, .need, need.text))
      }
    }
  }

  /// On a child's machine: ends what is over, takes back what was earned twice, says whether the
  /// machine wants points, and returns those that it does not want.
  ///
  /// Returns the statements of other machines for whose sake this one has shared now. It shares
  /// once for each, so `served` holds those of before: a parent that is not in touch with the other
  /// machine would lend the points back, without end.
  ///
  /// `isWanted` indicates whether a reward runs here, or a person redeems points, and `used` is the
  /// milli-points that running sessions have cost so far. `connected` are the machines that are in
  /// touch, and `heard` those that were in touch lately, with which this one shares. `source`
  /// returns a new ID. Throws the database's error, or `BodyFault` if there is no room for an
  /// entry.
  public mutating func returnPoints(
    of child: ChildID, isWanted: Bool, used: Int64 = 0, connected: Set<DeviceID>, heard: Set<DeviceID>,
    served: Set<HybridTimestamp> = [], at moment: FamilyMoment, clock: () throws -> HybridTimestamp,
    source: () -> RecordID?
  ) throws -> Set<HybridTimestamp> {
    var purse = try purse(of: child)
    for entry in purse.expire(before: moment.day, at: moment.at) { try add(entry, of: child) }
    for entry in purse.takeBackRepeats(at: moment.at) { try add(entry, of: child) }
    // What this machine owes is taken back from its purse, so it needs the points, wherever they
    // are.
    let isWanted = isWanted || purse.owes
    let parents = try facts(.machines, of: child).compactMap { ChildMachines($0.text) }
    let others = parents.filter { !$0.machines.subtracting([own]).isEmpty }
    // The only machine is lent everything without asking.
    let needs = try needs(of: child)
    let said = needs.first { $0.modified.author == own }
    let isSaid = said?.isNeeded ?? false
    if isSaid != isWanted, isSaid || !others.isEmpty {
      let modified = try clock().after(said?.modified)
      try add(Fact(child, .need, PointsNeed(modified: modified, isNeeded: isWanted).text))
    }
    let statement = others.filter { connected.contains($0.modified.author) }
      .min { $0.modified.author < $1.modified.author }
    guard let statement else { return [] }
    let lender = statement.modified.author
    let sharing = needs.filter { $0.isNeeded && !served.contains($0.modified) }.map(\.modified)
      .filter { $0.author != own && heard.contains($0.author) && statement.machines.contains($0.author) }
    let returned = LeasePolicy.returned(
      purse: purse.spendable, isOnlyMachine: others.isEmpty, runsReward: isWanted, used: used,
      others: sharing.map { purse.ledger.purse(of: $0.author) }, lender: purse.ledger.purse(of: lender))
    guard returned > 0, let source = source(),
      let entry = purse.lend(returned, to: lender, source: source, day: moment.day, at: moment.at)
    else { return [] }
    try add(entry, of: child)
    try remind(lender, of: Fact(child, .machines, statement.text))
    return isWanted ? Set(sharing) : []
  }

  /// Returns each machine's last statement on whether it wants a child's points.
  private func needs(of child: ChildID) throws -> [PointsNeed] {
    try facts(.need, of: child).compactMap { PointsNeed($0.text) }
  }

  /// Returns the machines that say that they want a child's points.
  public func machinesThatWantPoints(of child: ChildID) throws -> Set<DeviceID> {
    Set(try needs(of: child).filter(\.isNeeded).map(\.modified.author))
  }

  /// On a child's machine: writes what a session earned or cost into its purse, and returns the
  /// entry; `nil` if the session changes nothing, or there is no room for it.
  ///
  /// `carries` are the remainders of the child's sessions.
  public mutating func takePoints(
    from record: UsageRecord, _ evidence: LearningEvidence, of child: ChildID,
    carries: inout [Purse.CarryKey: PointsRemainder], at: Int64
  ) throws -> LedgerEntry? {
    var purse = Purse(device: own, ledger: try ledger(of: child), carries: carries)
    // Days are the household's, whatever the wall clock showed.
    var counted = record
    counted.sessionStart = record.householdStart
    counted.sessionEnd = min(record.householdStart + record.activeMilliseconds, HybridTimestamp.wallLimit - 1)
    let rules = try rules(of: child)
    let entry = purse.take(counted, hold: evidence.holdReason(for: record), rules: rules, at: at)
    guard let entry else { return nil }
    // A full ledger must not keep a session from ending.
    do { try add(entry, of: child) } catch is BodyFault { return nil }
    carries = purse.carries
    for entry in purse.takeBackRepeats(at: at) {
      do { try add(entry, of: child) } catch is BodyFault { break }
    }
    return entry
  }
}

extension HouseholdKey {
  /// Returns the machines of each child who has or has had one, according to some registers.
  public static func machines(in registers: some Sequence<Register>) -> [ChildID: Set<DeviceID>] {
    var machines: [ChildID: Set<DeviceID>] = [:]
    for register in registers {
      guard case .machine(let device) = register.zone, let child = register.key.servedChild else { continue }
      // A child without a machine any more is listed as well.
      machines[child, default: []].formUnion(register.servedChild == nil ? [] : [device])
    }
    return machines
  }
}

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

  public mutating func add(_ entry: LedgerEntry, of child: ChildID) throws { try add(Fact(child, .ledger, entry.text)) }

  /// Throws `BodyFault` unless this machine is a child's.
  func checkServes(_ child: ChildID) throws {
    guard HouseholdKey.children(servedIn: try registers(in: .machine(own))).contains(child) else {
      throw BodyFault.notTheChilds
    }
  }
}

extension BodyFault {
  /// A command is about a child whom the receiver does not serve.
  static var notTheChilds: BodyFault {
    BodyFault(
      phrase: Phrase(
        """
        That machine is not this child's: `latchkey devices rename` with the machine's name and --child says whose it is.
        """))
  }
}
