import LatchkeyModel

/// The processes of supervised accounts.
///
/// The processes to which orders apply are kept separately, since the agent visits them at each
/// event. An account that builds software starts thousands of others in a few seconds, and so may
/// an application. A process with an inherited application that was seen in only one full scan is
/// therefore among the others.
struct FollowedProcesses: Sendable {
  /// The processes that are an application or an unknown program, or are being closed.
  private(set) var ruled: [ProcessIdentity: AgentMachine.Followed] = [:]
  private(set) var others: [ProcessIdentity: AgentMachine.Followed] = [:]
  /// The number of others up to which processes seen in only one full scan are kept among them.
  private static let mostFleeting = 8_192
  /// The number of processes that are an application.
  ///
  /// Unknown and other programs are not included. A child may start any number of them, and they
  /// take no room from applications.
  private(set) var applicationCount = 0

  var count: Int { ruled.count + others.count }
  var identities: [ProcessIdentity] { Array(ruled.keys) + others.keys }

  subscript(process: ProcessIdentity) -> AgentMachine.Followed? {
    get { ruled[process] ?? others[process] }
    set {
      if ruled[process]?.isApplication == true { applicationCount -= 1 }
      guard let newValue else {
        if ruled.removeValue(forKey: process) == nil { others[process] = nil }
        return
      }
      if newValue.isApplication { applicationCount += 1 }
      if newValue.closing != nil || newValue.match != nil && (!newValue.isFleeting || others.count >= Self.mostFleeting)
      {
        others[process] = nil
        ruled[process] = newValue
      } else {
        ruled[process] = nil
        others[process] = newValue
      }
    }
  }

  mutating func remove(_ process: ProcessIdentity) -> AgentMachine.Followed? {
    if let known = ruled.removeValue(forKey: process) {
      if known.isApplication { applicationCount -= 1 }
      return known
    }
    return others.removeValue(forKey: process)
  }
}

extension AgentMachine {
  /// A process of a supervised account.
  struct Followed: Sendable {
    var facts: ProcessFacts
    var match: MatchTable.Match?
    /// The application that its own facts recognize; `nil` for none, and for unknown and others.
    var own: AppID?
    /// The application that its parent, or its previous program, has passed on to it.
    var inherited: AppID?
    /// When the last full scan before its program began; `nil` for the program first seen in it.
    var programSince: BootInstant?
    var firstSeen: BootInstant
    /// A Boolean value that indicates whether it still existed in a second full scan.
    var hasStayed = false
    /// When it was first recognized as what it is, and when the last full scan before that began.
    var seenAt: BootInstant
    var lookBefore: BootInstant?
    /// When its use began; `nil` while it does not count as use.
    var began: BootInstant?
    var closing: Closing?
    /// A Boolean value that indicates whether it cannot be frozen, or was moved out of its group.
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

  /// A Boolean value that indicates whether it is an application that it has not inherited; unknown
  /// and other programs are none.
  var isApplication: Bool { match?.app.map { !$0.isOfMany } == true && !isInherited }

  /// A Boolean value that indicates whether it is an unknown program or one of the other programs.
  var isOneOfMany: Bool { match.map { $0.app?.isOfMany ?? true } ?? false }

  /// A Boolean value that indicates whether it is an application only by inheritance.
  private var isInherited: Bool { inherited != nil && own == nil && match?.app == inherited }

  /// A Boolean value that indicates whether it is an application by inheritance, was not in use,
  /// and was seen in only one full scan.
  var isFleeting: Bool { isInherited && !hasStayed && began == nil }

  /// Returns whether new facts of a process make it a different application or program.
  ///
  /// A program that maps another file, or an application that starts a part of itself, stays the
  /// same. The time since which it has been that application decides whether it is asked to end or
  /// killed immediately.
  func becomesOther(_ new: ProcessFacts, _ supervised: AgentMachine.Supervised) -> Bool {
    let newMatch = supervised.recognize(new, inheriting: inherited).match
    if newMatch != match { return true }
    return newMatch == nil
      && (facts.images.first != new.images.first || facts.arguments != new.arguments
        || facts.programPlace != new.programPlace)
  }

  /// Returns whether it became this program after its time was over, so that no work is lost.
  func beganClosed(since closesAt: BootInstant) -> Bool {
    facts.startedAt >= closesAt || lookBefore.map { $0 >= closesAt } ?? false
  }
}

extension AgentMachine.Supervised {
  /// Returns what a process is recognized as, and the application that its own facts recognize;
  /// `nil` if it is no application, unknown program or other program.
  ///
  /// Matchers come first, then the node's statement about the process, then the inherited
  /// application. Evidence that a child can forge never spares an unknown program that closes
  /// earlier. Such evidence is the node's statement, which the child made to it, and any weak
  /// matcher except a path at its place. Arguments that do not show what a program runs spare none:
  /// what it is without them counts if that closes earlier.
  func recognize(_ facts: ProcessFacts, inheriting inherited: AppID?) -> (match: MatchTable.Match?, own: AppID?) {
    guard let match = table.match(facts, isStricter: closesEarlier) else {
      return (stricter(inherited, unmatched(facts), facts), nil)
    }
    let isForgeable = match.isWeak && facts.hasWritableExecutable && !table.isAtItsPath(facts, match.app)
    let found = isForgeable ? stricter(match, facts) : match
    guard let app = found.app else { return (stricter(inherited, found, facts), nil) }
    guard match.isLoose else { return (found, app) }
    if let without = stricter(inherited, unmatched(facts), facts), closesEarlier(without.app, app) {
      return (without, nil)
    }
    // Passed on, an always-allowed application would spare what the process starts.
    return (MatchTable.Match(app: app, isWeak: true), programs[app]?.isAlwaysAllowed == true ? nil : app)
  }

  /// Returns what a process is that no matcher matches; `nil` for nothing.
  private func unmatched(_ facts: ProcessFacts) -> MatchTable.Match? {
    if let app = table.named(facts.identity) { return stricter(MatchTable.Match(app: app, isWeak: true), facts) }
    if isUnknown(facts) { return MatchTable.Match(app: nil, isWeak: true) }
    return table.isOther(facts) ? MatchTable.Match(app: .otherPrograms, isWeak: true) : nil
  }

  /// Returns the inherited application, or what a process is otherwise if that closes earlier.
  ///
  /// A program with its own menu entry is recognized by that. An always-allowed application
  /// includes the other programs that it starts, if root has installed them.
  private func stricter(
    _ inherited: AppID?, _ otherwise: MatchTable.Match?, _ facts: ProcessFacts
  ) -> MatchTable.Match? {
    guard let inherited, let program = programs[inherited], program.countsLaunches, facts.mayInherit,
      !table.isEntry(facts)
    else { return otherwise }
    let isIncluded = program.isAlwaysAllowed && otherwise?.app == .otherPrograms && OtherPrograms.isInstalled(facts)
    guard isIncluded || otherwise.map({ closesEarlier($0.app, inherited) }) != true else { return otherwise }
    return MatchTable.Match(app: inherited, isWeak: true)
  }

  /// Returns whether a process that is no application is an unknown program.
  private func isUnknown(_ facts: ProcessFacts) -> Bool {
    facts.isFromWritablePlace && orders.unknown != nil && !facts.isProtected
  }

  /// Returns the match, or an unknown program if that closes earlier.
  private func stricter(_ match: MatchTable.Match, _ facts: ProcessFacts) -> MatchTable.Match {
    guard isUnknown(facts), let closesAt = orders.unknown?.closesAt else { return match }
    if let end = terms(of: match.app)?.closesAt, end <= closesAt { return match }
    return MatchTable.Match(app: nil, isWeak: true)
  }

  /// Returns whether an application, or an unknown program, closes before another one.
  private func closesEarlier(_ app: AppID?, _ other: AppID?) -> Bool {
    guard let end = terms(of: app)?.closesAt else { return false }
    return terms(of: other)?.closesAt.map { end < $0 } ?? true
  }

  /// Returns the terms of an application; `nil` for an always-allowed one.
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
