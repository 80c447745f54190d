import LatchkeyModel

extension AgentMachine {
  /// A process of a supervised account.
  struct Followed: Sendable {
    var facts: ProcessFacts
    var match: MatchTable.Match?
    /// The application as which its own facts recognize it; `nil` for none, and for unknown and other programs.
    var own: AppID?
    /// The application that what started it has handed on to it, or the program that it ran before.
    var inherited: AppID?
    /// The look at everything before it ran its present program; `nil` if it was first seen with that one.
    var programSince: BootInstant?
    var firstSeen: BootInstant
    /// A Boolean value that indicates whether it was there at a second look at everything.
    var hasStayed = false
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

  /// A Boolean value that indicates whether the process is an application by itself, and no unknown program.
  var isApplication: Bool { match?.app != nil && !isInherited }

  /// A Boolean value that indicates whether it is what it is because of what started it alone.
  var isInherited: Bool { inherited != nil && own == nil && match?.app == inherited }

  /// A Boolean value that indicates whether that is so, and it was neither in use before nor there at a second look at everything.
  var isFleeting: Bool { isInherited && !hasStayed && began == nil }

  /// Returns whether a process that shows other facts is another program from then on.
  ///
  /// A program that maps one more file, or an application that starts a part of itself, stays what it is: the time since
  /// when it is that application counts for whether it is asked to end or killed at once.
  func becomesOther(_ new: ProcessFacts, _ supervised: AgentMachine.Supervised) -> Bool {
    let newMatch = supervised.recognize(new, inheriting: inherited).match
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
  /// Returns what a process is, and the application as which its own facts recognize it; `nil` if it is no application, unknown
  /// program or other program.
  ///
  /// What the node says it is counts after all matchers, and then what it has inherited. What a child can forge never spares an
  /// unknown program that is closed earlier: what the node says, which it knows from the child, and what weak matchers
  /// recognize, except a path at its place.
  func recognize(
    _ facts: ProcessFacts, inheriting inherited: AppID?
  ) -> (match: MatchTable.Match?, own: AppID?) {
    var otherwise: MatchTable.Match?
    if let match = table.match(facts, isStricter: closesEarlier) {
      let isForgeable = match.isWeak && facts.hasWritableExecutable && !table.isAtItsPath(facts, match.app)
      let found = isForgeable ? stricter(match, facts) : match
      if found.app != nil { return (found, found.app) }
      otherwise = found
    } else if let app = table.named(facts.identity) {
      otherwise = stricter(MatchTable.Match(app: app, isWeak: true), facts)
    } else if isUnknown(facts) {
      otherwise = MatchTable.Match(app: nil, isWeak: true)
    } else if table.isOther(facts) {
      otherwise = MatchTable.Match(app: .otherPrograms, isWeak: true)
    }
    // What has an entry of its own in a menu is recognized otherwise. What started it spares nothing: of the two, it is what closes
    // first. But what a parent always allows includes the other programs that it starts, as far as root has installed them.
    guard let inherited, let program = programs[inherited], program.countsLaunches, facts.mayInherit,
      !table.isEntry(facts)
    else { return (otherwise, nil) }
    let isIncluded = program.isAlwaysAllowed && otherwise?.app == .otherPrograms && OtherPrograms.isInstalled(facts)
    guard isIncluded || otherwise.map({ closesEarlier($0.app, inherited) }) != true else { return (otherwise, nil) }
    return (MatchTable.Match(app: inherited, isWeak: true), nil)
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

  /// Returns whether an application, or an unknown program, closes before another one, which may never close.
  private func closesEarlier(_ app: AppID?, _ other: AppID?) -> Bool {
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
