import LatchkeyModel
import LatchkeyStore

/// Sessions of unknown programs, and of other programs that no rule names: each of both is one
/// application in each account.
///
/// Those that merely count are recorded by the clock of the system's agent alone, so that what runs
/// while nobody is there uses up nothing. Rewards are recorded while they run, as always. Either
/// way a session goes on with the next program for a minute after its last use: many short programs
/// make few records.
///
/// Spec: Protocol/06-messages.md §5, 11-rules.md §5.
extension UsageService {
  private static let mostAccounts = 256
  /// The shortest use that is recorded at once, in milliseconds; less counts with the next.
  private static let leastMilliseconds: Int64 = 1_000

  /// Records unknown programs that merely count, by the clock of the system's agent.
  ///
  /// Returns `false` if they are to be recorded as processes: rewards, or without a clock.
  func count(
    _ app: AppID, in account: UInt32, _ reading: SessionActivity.Reading?, at instant: BootInstant
  ) async throws(StoreError) -> Bool {
    guard let reading else { return false }
    let place = ManyPrograms(app: app, account: account)
    let (known, now, version) = (unknownClocks[place], context.now(), context.changes.version)
    // Nobody was there since, or another program has told it.
    if let known, known.reading.run == reading.run, known.version == version,
      reading.milliseconds - known.reading.milliseconds < Self.leastMilliseconds
    {
      return true
    }
    let household = try await context.readHousehold()
    let user = household.user(of: account, on: context.own)
    guard user != .nobody else { return true }
    let terms = UseTerms(app, user, household)
    guard terms.category == .neutral else {
      unknownClocks[place] = nil
      return false
    }
    try await cutMany(app, in: account, unless: terms)
    let before = known?.reading ?? keptClock(of: place)
    if unknownClocks.count >= Self.mostAccounts { unknownClocks = [:] }
    // What the clock of a run shows first is where it begins.
    guard let before, before.run == reading.run else {
      unknownClocks[place] = (reading, version)
      return true
    }
    let advanced = reading.milliseconds - before.milliseconds
    guard advanced >= Self.leastMilliseconds else {
      unknownClocks[place] = (before, version)
      return true
    }
    let end = min(instant, now)
    let start = max(BootInstant(milliseconds: 0), end + -advanced)
    let (wall, householdStart) = (self.wall - (now - end), context.time.now - (now - start))
    if app == .screenTime { try await cutScreenTime(in: account, before: start) }
    let new = try session(
      of: app, terms, name: terms.name, [], from: start, to: end, wall, zone: LocalZone.name(), .observed,
      account: account, householdStart: householdStart)
    let begins = try await context.store.noteUnknown(reading, advanced: advanced, in: new)
    unknownClocks[place] = (reading, version)
    try await context.sessions.read(from: context.store)
    if begins {
      wake.notify()
      context.factNews.notify()
    } else if isToldPaused(app, in: account) {
      wake.notify()
    }
    return true
  }

  private func isToldPaused(_ app: AppID, in account: UInt32) -> Bool {
    let open = context.sessions.all.first { $0.appID == app && $0.account == account }
    return open.flatMap { told?.sessions[$0.recordID] } == true
  }

  /// The longest time between two readings of screen time that one record holds, in milliseconds.
  private static let longestGap: Int64 = 2_000

  /// Ends the record of an account's screen time if nobody was there before an instant.
  ///
  /// A record counts from its start for as long as it was active: with a gap in it, it would lie
  /// beside the programs in use.
  private func cutScreenTime(in account: UInt32, before start: BootInstant) async throws(StoreError) {
    for session in context.sessions.all
    where session.appID == .screenTime && session.account == account && start - session.lastSeenAt > Self.longestGap {
      _ = try await finish(
        session.recordID, session.processes, endedAt: (session.lastSeenAt, session.sessionEnd), .observed)
    }
  }

  /// Ends the sessions of unknown programs that the rules treat in another way since.
  func cutUnknown(_ household: Household) async throws(StoreError) {
    for session in context.sessions.all where session.appID.isOfMany {
      guard let account = session.account else { continue }
      let user = household.user(of: account, on: context.own)
      guard user != .nobody else { continue }
      try await cutMany(session.appID, in: account, unless: UseTerms(session.appID, user, household))
    }
  }

  /// Ends a session of unknown or other programs unless its terms still hold.
  func cutMany(_ app: AppID, in account: UInt32, unless terms: UseTerms) async throws(StoreError) {
    for session in context.sessions.all where session.appID == app && session.account == account {
      if session.category == terms.category, session.child == terms.child, session.sharers == terms.sharers {
        continue
      }
      _ = try await finish(
        session.recordID, session.processes, endedAt: (session.lastSeenAt, session.sessionEnd), .observed)
    }
  }

  /// Returns what the agent's clock showed when a session of unknown programs was last stored.
  private func keptClock(of place: ManyPrograms) -> SessionActivity.Reading? {
    let open = context.sessions.all.first {
      $0.appID == place.app && $0.account == place.account && $0.category == .neutral
    }
    return open?.activity.map { SessionActivity.Reading(run: $0.run, milliseconds: $0.clock) }
  }
}

/// The unknown programs, or the other ones, of an account.
struct ManyPrograms: Hashable, Sendable {
  var app: AppID
  var account: UInt32
}
