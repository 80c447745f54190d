import LatchkeyModel
import LatchkeyRules

public struct FamilyMoment: Hashable, Sendable {
  public var day: FamilyDay
  /// The household's time in Unix milliseconds.
  public var at: Int64

  public init(day: FamilyDay, at: Int64) { (self.day, self.at) = (day, at) }
}

/// The transfer of points to the machines that want them, and the points of a session.
///
/// **Points come to rest**, also after machines were restored to older states, whether this was
/// noticed or not. Suppose that no reward begins or ends, nobody redeems or edits, and no machine
/// is restored or started. Then points change purses a bounded number of times, because each loan
/// also sends the statement on which it rests to the machine that made the statement:
///
/// - A parent lends to one of several machines only on that machine's `need` *yes*, and sends this
///   statement along. The machine then holds it or a later one of its own. If the machine wants no
///   points, it states *no* with a later time, and the parent keeps that. So each parent makes at
///   most one loan on a *yes* that its author no longer means.
/// - A machine returns points only to a parent whose `machines` names others, and sends this
///   statement along. If the parent's registers say otherwise, the parent states that with a later
///   time before it lends again. So the two disagree at most once on whether the machine is the
///   only one.
/// - A machine that wants points returns some only to share them, once for each statement of
///   another machine. No new statements are made. The machine wants points for good, or until it
///   has paid what it owes, which is finite.
///
/// Without the statement, a machine that was restored to a state from before its *yes* would not
/// know that *yes*, and would not withdraw it. The parent would lend and the machine would return
/// without end.
///
/// Spec: Protocol/11-rules.md §7, Protocol/12-facts.md §6.
extension EffectTransaction {
  /// States, on a parent's machine, to which machines it lends a child's points, and lends the
  /// points that they want.
  ///
  /// `machines` are the child's machines by the parent's own registers. `connected` are the
  /// machines that are in touch. `awaited` are those that were in touch until a moment ago, so that
  /// their share is kept. `source` returns a new ID. Throws the database's error, or `BodyFault` if
  /// there is no room for an entry.
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

  /// Updates a child's points on a child's machine: ends expired redemptions, takes back points
  /// that were earned twice, states whether the machine wants points, and returns those that it
  /// does not want.
  ///
  /// Returns the statements of other machines on which this machine has now shared points. It
  /// shares once for each statement. `served` holds the earlier ones: otherwise a parent that is
  /// not in touch with the other machine would lend the points back, without end.
  ///
  /// `isWanted` indicates whether a reward runs here, or a person redeems points. `used` is the
  /// number of milli-points that running sessions have cost so far. `connected` are the machines
  /// that are in touch. `heard` are those that were heard of lately, with which this machine
  /// shares. `source` returns a new ID. Throws the database's error, or `BodyFault` if there is no
  /// room for an entry.
  public mutating func returnPoints(
    of child: ChildID, isWanted: Bool, used: Int64 = 0, connected: Set<DeviceID>, heard: Set<DeviceID>,
    served: Set<HybridTimestamp> = [], at moment: FamilyMoment, clock: () throws -> HybridTimestamp,
    source: () -> RecordID?
  ) throws -> Set<HybridTimestamp> {
    var purse = try purse(of: child)
    for entry in purse.expire(before: moment.day, at: moment.at) { try add(entry, of: child) }
    for entry in purse.takeBackRepeats(at: moment.at) { try add(entry, of: child) }
    // Points that this machine owes are taken from its purse. So it needs them, in whatever purse
    // they are.
    let isWanted = isWanted || purse.owes
    let parents = try facts(.machines, of: child).compactMap { ChildMachines($0.text) }
    let others = parents.filter { !$0.machines.subtracting([own]).isEmpty }
    // A child's only machine is lent everything without asking.
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

  public func machinesThatWantPoints(of child: ChildID) throws -> Set<DeviceID> {
    Set(try needs(of: child).filter(\.isNeeded).map(\.modified.author))
  }

  /// Writes, on a child's machine, what a session earned or cost into the purse.
  ///
  /// Returns the entry; `nil` if the session changes nothing, or there is no room for it.
  ///
  /// `carries` are the remainders of the child's sessions.
  public mutating func takePoints(
    from record: UsageRecord, _ evidence: LearningEvidence, of child: ChildID,
    carries: inout [Purse.CarryKey: PointsRemainder], at: Int64
  ) throws -> LedgerEntry? {
    var purse = Purse(device: own, ledger: try ledger(of: child), carries: carries)
    // Days follow household time, whatever the wall clock showed.
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
      // A child who no longer has a machine is listed as well.
      machines[child, default: []].formUnion(register.servedChild == nil ? [] : [device])
    }
    return machines
  }
}

/// The points of a child within a transaction.
///
/// Spec: Protocol/11-rules.md §6.
extension EffectTransaction {
  public func ledger(of child: ChildID) throws -> Ledger {
    try value(of: .ledger, child, empty: Ledger()) { ledger, facts in
      for entry in facts.lazy.compactMap({ LedgerEntry($0.text) }) { ledger.merge(entry) }
    }
  }

  /// Returns this machine's purse of a child, without the remainders of sessions.
  public func purse(of child: ChildID) throws -> Purse { Purse(device: own, ledger: try ledger(of: child)) }

  public mutating func add(_ entry: LedgerEntry, of child: ChildID) throws { try add(Fact(child, .ledger, entry.text)) }

  /// Throws `BodyFault` unless this machine serves a child.
  func checkServes(_ child: ChildID) throws {
    guard HouseholdKey.children(servedIn: try registers(in: .machine(own))).contains(child) else {
      throw BodyFault.notTheChilds
    }
  }
}

extension BodyFault {
  /// The fault of a command about a child whom the receiver does not serve.
  static var notTheChilds: BodyFault {
    BodyFault(
      phrase:
        "That machine is not this child's: `latchkey devices rename` with the machine's name and --child says whose it is."
    )
  }
}
