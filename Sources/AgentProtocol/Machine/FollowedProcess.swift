import LatchkeyModel

extension AgentMachine {
  /// A process of a supervised account.
  struct Followed: Sendable {
    var facts: ProcessFacts
    var match: MatchTable.Match?
    /// When it was first seen to be what it is, after the last look at everything before.
    var seenAt: BootInstant
    var lookBefore: BootInstant?
    /// When its use began; `nil` while it is no use.
    var began: BootInstant?
    var closing: Closing?
    /// A Boolean value that indicates whether it cannot be frozen, or did not stay so.
    var isUnpausable = false
  }

  enum Closing: Hashable, Sendable {
    case asked(killAt: BootInstant)
    case killed(againAt: BootInstant)
    case paused
  }

  struct Supervised: Sendable {
    var orders: AccountOrders
    var table: MatchTable
    var programs: [AppID: ProgramOrder]
  }
}

extension AgentMachine.Followed {
  /// The use of a process that is an application or an unknown program.
  var use: ProgramUse? {
    match.map { ProgramUse(account: facts.account, app: $0.app, isWeak: $0.isWeak, process: facts.identity) }
  }

  /// A Boolean value that indicates whether the process is an application, and no unknown program.
  var isApplication: Bool { match?.app != nil }

  /// Returns whether a process that shows other facts is another program from then on.
  ///
  /// A program that maps one more file, or an application that starts a part of itself, stays what it is: the time since
  /// when it is that application counts for whether it is asked to end or killed at once.
  func becomesOther(_ new: ProcessFacts, _ supervised: AgentMachine.Supervised) -> Bool {
    let newMatch = supervised.match(new)
    if newMatch != match { return true }
    return newMatch == nil
      && (facts.images.first != new.images.first || facts.arguments != new.arguments
        || facts.programPlace != new.programPlace)
  }

  /// Returns whether it became what it is when that was closed already, so that ending it loses no work.
  func beganClosed(since closesAt: BootInstant) -> Bool {
    facts.startedAt >= closesAt || lookBefore.map { $0 >= closesAt } ?? false
  }
}

extension AgentMachine.Supervised {
  /// Returns what a process is; `nil` if it is no application and no unknown program either.
  ///
  /// What the node says it is counts after all matchers. What a child can forge never spares an unknown program that is closed
  /// earlier: what the node says, which it knows from the child, and what weak matchers recognize, except a path at its place.
  func match(_ facts: ProcessFacts) -> MatchTable.Match? {
    if let match = table.match(facts, isStricter: closesEarlier) {
      let isForgeable = match.isWeak && facts.hasWritableExecutable && !table.isAtItsPath(facts, match.app)
      return isForgeable ? stricter(match, facts) : match
    }
    if let app = table.named(facts.identity) { return stricter(MatchTable.Match(app: app, isWeak: true), facts) }
    if isUnknown(facts) { return MatchTable.Match(app: nil, isWeak: true) }
    return table.isOther(facts) ? MatchTable.Match(app: .otherPrograms, isWeak: true) : nil
  }

  /// Returns whether it is an unknown program unless it is an application.
  private func isUnknown(_ facts: ProcessFacts) -> Bool {
    facts.isFromWritablePlace && orders.unknown != nil && !facts.isProtected
  }

  /// Returns a match, or an unknown program if that is closed earlier.
  private func stricter(_ match: MatchTable.Match, _ facts: ProcessFacts) -> MatchTable.Match {
    guard isUnknown(facts), let closesAt = orders.unknown?.closesAt else { return match }
    if let end = terms(of: match.app)?.closesAt, end <= closesAt { return match }
    return MatchTable.Match(app: nil, isWeak: true)
  }

  /// Returns whether an application closes before another one, which may never close.
  private func closesEarlier(_ app: AppID, _ other: AppID) -> Bool {
    guard let end = terms(of: app)?.closesAt else { return false }
    return terms(of: other)?.closesAt.map { end < $0 } ?? true
  }

  /// Returns the terms of an application; `nil` for what is always allowed.
  func terms(of app: AppID?) -> ProgramTerms? {
    guard let app else { return orders.unknown }
    guard let program = programs[app], !program.isAlwaysAllowed else { return nil }
    return program.terms
  }
}

extension ProcessIdentity: Comparable {
  /// Returns whether `left` sorts before `right`, by number and then by start.
  public static func < (left: ProcessIdentity, right: ProcessIdentity) -> Bool {
    (left.processID, left.startTime) < (right.processID, right.startTime)
  }
}
