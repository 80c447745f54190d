import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem

/// Sessions of programs that the agent sees.
///
/// Spec: Protocol/06-messages.md §5, 13-agent.md §5.
extension UsageService {
  /// Begins a session for a program that runs since an instant, or adds the program to the open session of its application.
  ///
  /// The same program again changes nothing. `isWeak` is true if it is recognized by what a child can forge: then it earns
  /// nothing. `activity` is a reading of the application's clock, if the system's agent keeps one.
  func saw(
    _ app: AppID, _ process: ProcessIdentity, account: UInt32, since: BootInstant, isWeak: Bool,
    activity: SessionActivity.Reading?
  ) async throws(StoreError) {
    let now = context.now()
    if app.isOfMany, try await count(app, in: account, activity, at: now) { return }
    let began = min(since, now)
    let wall = self.wall - (now - began)
    let household = try await context.readHousehold()
    guard let child = household.child(of: account, on: context.own) else { return }
    let rules = household.rules(for: child)
    if app.isOfMany { try await cutMany(app, in: account, unless: rules, of: child) }
    let isGone = watch.state(of: process) == .gone
    let id = SecureRandom.bytes(16)
    let zone = LocalZone.name()
    let householdStart = context.time.now - (now - began)
    let opening = try await context.store.openSession(
      of: app, process, account: account, bootID: context.bootID, isObserved: true, since: began,
      isGone: isGone
    ) {
      [context] in
      guard let id = RecordID(bytes: id) else { throw StoreError.unexpected("an ID") }
      let terms = UseTerms(app, rules)
      let earnsNothing = isWeak && terms.category == .learning
      return OpenUsageSession(
        recordID: id, appID: app, displayName: terms.name ?? app.text, processes: [process], bootID: context.bootID,
        startedAt: began, lastSeenAt: now, startedAtWall: wall, lastSeenAtWall: wall + (now - began), zone: zone,
        category: earnsNothing ? .neutral : terms.category,
        milliPointsPerMinute: earnsNothing ? 0 : terms.milliPointsPerMinute, evidence: .observed, account: account,
        child: child, householdStart: householdStart)
    }
    switch opening {
    case .open(let session), .openInPlace(let session, _):
      unrecorded.remove(process)
      if app.isOfMany { unknown.insert(process) }
      if case .openInPlace(_, let other) = opening { leftOut(other) }
      // What is recognized weakly has a clock of its own, which does not count.
      if let activity, session.category == .learning, !isWeak || session.evidence == .tracked {
        learning.insert(process)
        try await context.store.note(activity, of: process, bootID: context.bootID, since: began)
      }
      wake.notify()
      context.factNews.notify()
    case .otherApplication:
      // Recorded already, by `usage track`, whose session watches the process.
      unrecorded.remove(process)
      if app.isOfMany { unknown.insert(process) }
    case .ended:
      // Before the agent told it again.
      unrecorded.remove(process)
      watch.forget(process)
    case .full:
      // What runs there is still closed in time.
      leftOut(process)
    }
  }

  /// Notes that a program has no place among those that are recorded, so that one is looked for while it runs.
  private func leftOut(_ process: ProcessIdentity) {
    watch.forget(process)
    learning.remove(process)
    unknown.remove(process)
    if unrecorded.count < Self.mostUnrecorded { unrecorded.insert(process) }
  }

  /// Notes that a program ran until an instant.
  ///
  /// One that had no place gets it if there is one now: when the other programs of its application have ended, for example.
  func ran(_ use: ProgramUse, until instant: BootInstant, activity: SessionActivity.Reading?) async throws(StoreError) {
    let app = use.recorded
    if app.isOfMany {
      guard !unknown.contains(use.process), try await !count(app, in: use.account, activity, at: instant) else {
        return
      }
    } else {
      guard unrecorded.contains(use.process) else { return try await active(use.process, activity) }
    }
    let now = context.now()
    if let last = placesSought[app], now - last < Self.placePause { return }
    if placesSought.count >= Self.mostUnrecorded { placesSought = [:] }
    placesSought[app] = now
    try await saw(
      app, use.process, account: use.account, since: instant, isWeak: use.isWeak, activity: activity)
  }

  /// The most programs without a place that are known.
  private static let mostUnrecorded = 4_096
  /// The time between two looks for a place for programs of one application, in milliseconds.
  private static let placePause: Int64 = 1_000

  /// Notes how long a person has used a program's application.
  private func active(_ process: ProcessIdentity, _ activity: SessionActivity.Reading?) async throws(StoreError) {
    guard let activity, learning.contains(process) else { return }
    try await context.store.note(activity, of: process, bootID: context.bootID, since: nil)
  }

  /// Ends the part of a session that a program has in it, at an instant that the agent saw.
  func ended(
    _ use: ProgramUse, at instant: BootInstant, activity: SessionActivity.Reading?
  ) async throws(StoreError) {
    let process = use.process
    // One that is recorded as a process may have been begun by an earlier run of the node.
    if use.recorded.isOfMany, unknown.remove(process) == nil,
      try await count(use.recorded, in: use.account, activity, at: instant)
    {
      return
    }
    try await active(process, activity)
    learning.remove(process)
    unrecorded.remove(process)
    let open = try await context.store.openSessions()
    guard
      let session = open.first(where: { $0.bootID == context.bootID && $0.processes.contains(process) }),
      session.evidence == .observed
    else { return }
    let end = max(session.startedAt, min(instant, context.now()))
    let wall = self.wall - (context.now() - end)
    if session.appID.isOfMany {
      try await context.store.pause(session.recordID, of: [process], at: end, wall: wall)
    } else {
      _ = try await finish(session.recordID, [process], endedAt: (end, wall), .observed)
    }
    watch.forget(process)
  }
}
