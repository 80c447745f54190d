import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyStore
import LatchkeySystem

/// Sessions of programs that the agent sees.
///
/// Spec: Protocol/06-messages.md §5, 13-agent.md §5.
extension UsageService {
  /// Begins a session for a program, or adds it to the open session of its application.
  ///
  /// The same program again changes nothing. What a child can forge recognizes it weakly: then it
  /// earns nothing. `asOf` is when the agent reported it, and `activity` a reading of the
  /// application's clock, if the system's agent keeps one.
  func saw(
    _ use: ProgramUse, since: BootInstant, asOf: BootInstant, activity: SessionActivity.Reading?
  ) async throws(StoreError) {
    let (app, process, account, now) = (use.recorded, use.process, use.account, context.now())
    context.sessions.begins(use)
    if app.isOfMany, try await count(app, in: account, activity, at: now) { return }
    let began = min(since, now)
    if let session = context.sessions.session(of: process) {
      watches(process, at: asOf)
      return try await note(activity, of: use, in: session, since: began)
    }
    let wall = self.wall
    let household = try await context.readHousehold()
    // A program of `usage track` that was cut, as by a sleep of the machine, is still what it was
    // said to be.
    let before = cut.removeValue(forKey: process).flatMap { $0.appID == app ? $0 : nil }
    let user = household.user(of: account, on: context.own)
    guard user != .nobody || before != nil else { return }
    var terms = UseTerms(app, user, household)
    if app.isOfMany, user != .nobody { try await cutMany(app, in: account, unless: terms) }
    var name = before?.displayName ?? terms.name
    if name == nil, !app.isOfMany { name = try await installedName(of: app) }
    let isWeak = use.isWeak && before == nil
    if isWeak { terms.earnNothing() }
    var new = try session(
      of: app, terms, name: name, [process], from: began, to: now, wall, zone: before?.zone ?? LocalZone.name(),
      before == nil ? .observed : .tracked, account: account, householdStart: context.time.now - (now - began))
    new.isWeak = isWeak
    let opening = try await context.store.open(new, of: process, isObserved: true, since: began, asOf: asOf)
    switch opening {
    case .open(let session):
      try await context.sessions.read(from: context.store)
      watches(process, at: asOf)
      try await note(activity, of: use, in: session, since: began)
      wake.notify()
      context.factNews.notify()
    // Recorded as what a caller says that it is, or before the agent reported it again. What has no
    // place is still closed in time.
    case .otherApplication, .ended, .full: break
    }
  }

  func installedName(of app: AppID) async throws(StoreError) -> String? {
    try await context.store.inventory(InstalledApp.self, of: context.own)?.entries.first { $0.appID == app }?.name
  }

  /// Notes that a program ran until an instant.
  ///
  /// One that had no place gets it if another program of its application has ended.
  func ran(_ use: ProgramUse, until instant: BootInstant, activity: SessionActivity.Reading?) async throws(StoreError) {
    if let session = context.sessions.session(of: use.process) {
      watches(use.process, at: instant)
      return try await note(activity, of: use, in: session, since: nil)
    }
    let app = use.recorded
    context.sessions.begins(use)
    if app.isOfMany, try await count(app, in: use.account, activity, at: instant) { return }
    guard context.sessions.hasPlace(for: app, in: use.account) else { return }
    try await saw(use, since: instant, asOf: instant, activity: activity)
  }

  /// Notes how long a person has used a program's application, if that is what its session counts.
  ///
  /// `since` is when the agent began to see the program. What is recognized weakly has a clock of
  /// its own, which does not count.
  private func note(
    _ activity: SessionActivity.Reading?, of use: ProgramUse, in session: OpenUsageSession, since: BootInstant?
  ) async throws(StoreError) {
    guard let activity, session.category == .learning, session.appID == use.recorded,
      !use.isWeak || session.evidence == .tracked
    else { return }
    try await context.store.note(activity, of: use.process, bootID: context.bootID, since: since)
    try await context.sessions.read(from: context.store)
  }

  /// Ends the part of a session that a program has in it, at an instant that the agent saw.
  ///
  /// `milliseconds` is how long the agent saw it run; 0 for one that had ended before.
  func ended(
    _ use: ProgramUse, after milliseconds: Int64, at instant: BootInstant, activity: SessionActivity.Reading?
  ) async throws(StoreError) {
    let process = use.process
    cut[process] = nil
    context.sessions.ends(use)
    // Parents hear at once that nothing of many programs runs any more.
    defer { if use.recorded.isOfMany { wake.notify() } }
    guard let session = context.sessions.session(of: process) else {
      if use.recorded.isOfMany { _ = try await count(use.recorded, in: use.account, activity, at: instant) }
      return
    }
    let isAlive = ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime)
    // It is no longer what the agent took it for, and is still what a caller says.
    if session.appID != use.recorded, isAlive { return }
    if milliseconds > 0 { try await note(activity, of: use, in: session, since: nil) }
    if session.evidence == .tracked, isAlive, cut.count < Limits.recordedPrograms { cut[process] = session }
    let end = max(session.startedAt, milliseconds > 0 ? min(instant, context.now()) : session.lastSeenAt)
    let wall = self.wall - (context.now() - end)
    if session.appID.isOfMany {
      try await pause(session, [process], in: context.bootID, at: end, wall: wall)
    } else {
      // One that ran unwatched has ended at an unknown time.
      let isCut = milliseconds == 0 && session.lastSeenAt > session.startedAt
      _ = try await finish(
        session.recordID, [process], in: context.bootID, endedAt: (end, wall), isCut ? .interrupted : nil)
    }
  }
}
