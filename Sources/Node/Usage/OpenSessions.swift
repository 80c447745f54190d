import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyStore
import Synchronization

/// The open sessions of use on this machine, with the programs that the agent watches.
///
/// The usage service changes their journal, the table `open_session`, and then these.
final class OpenSessions: Sendable {
  private struct State {
    var sessions: [OpenUsageSession] = []
    /// The programs whose end the connected agent will report.
    var watched: Set<ProcessIdentity> = []
    /// The number of readings that were begun, and of the latest one that is shown.
    var (begun, shown): (UInt64, UInt64) = (0, 0)
    /// The unknown and other programs that the connected agent has reported as running.
    var many: [ManyPrograms: Set<ProcessIdentity>] = [:]
    /// The session in which the programs of an ended one go on, by the IDs.
    var following: [RecordID: RecordID] = [:]

    /// The most ended sessions of which it is known where their programs go on.
    private static let mostFollowed = 1_024

    /// Notes where the programs of sessions that have ended go on.
    mutating func follow(_ earlier: some Sequence<OpenUsageSession>) {
      let open = Set(sessions.map(\.recordID))
      for session in earlier where !open.contains(session.recordID) {
        guard let next = sessions.first(where: { !Set($0.processes).isDisjoint(with: session.processes) }) else {
          continue
        }
        if following.count >= Self.mostFollowed { following = [:] }
        for (id, last) in following where last == session.recordID { following[id] = next.recordID }
        following[session.recordID] = next.recordID
      }
    }
  }

  private let state = Mutex(State())
  private let bootID: String
  let changes = ChangeSignal()

  init(bootID: String) { self.bootID = bootID }

  var all: [OpenUsageSession] { state.withLock { $0.sessions } }

  subscript(id: RecordID) -> OpenUsageSession? { all.first { $0.recordID == id } }

  /// Returns the session in which the programs of a session have gone on last, or itself.
  func latest(of id: RecordID) -> RecordID { state.withLock { $0.following[id] ?? id } }

  func session(of process: ProcessIdentity) -> OpenUsageSession? { all.first { $0.processes.contains(process) } }

  var tracked: [UInt32: [AppID: [ProcessIdentity]]] {
    var found: [UInt32: [AppID: [ProcessIdentity]]] = [:]
    for session in all where session.evidence == .tracked {
      guard let account = session.account else { continue }
      found[account, default: [:]][session.appID, default: []] += session.processes
    }
    return found
  }

  /// Returns whether there is a place for one more program that the agent sees.
  func hasPlace(for app: AppID, in account: UInt32) -> Bool {
    let all = all
    if all.map(\.processes.count).reduce(0, +) < Limits.recordedPrograms { return true }
    return !all.contains { $0.appID == app && $0.account == account }
      && all.contains { $0.evidence == .observed && $0.processes.count > 1 }
  }

  func unwatched(in session: OpenUsageSession) -> [ProcessIdentity] {
    state.withLock { state in session.processes.filter { !state.watched.contains($0) } }
  }

  var watchedSessions: [OpenUsageSession] {
    state.withLock { state in state.sessions.filter { !state.watched.isDisjoint(with: $0.processes) } }
  }

  /// Milliseconds for which the clock of a session stands still before the session counts as
  /// paused: the time between three of the agent's reports of activity.
  private static let stillMilliseconds: Int64 = 10_000

  /// Returns whether a session of many programs waits for its next program.
  ///
  /// A session that the agent's clock counts has no processes. It is in use while one of its
  /// programs runs and the clock advances.
  func isQuiet(_ session: OpenUsageSession, at now: BootInstant) -> Bool {
    guard session.isPaused else { return false }
    guard session.category == .neutral, session.activity != nil, let account = session.account else { return true }
    if now - session.lastSeenAt > Self.stillMilliseconds { return true }
    guard session.appID != .screenTime else { return false }
    return state.withLock { $0.many[ManyPrograms(app: session.appID, account: account)]?.isEmpty ?? true }
  }

  // MARK: Changes

  /// Notes that an unknown or other program runs, as the agent has reported.
  func begins(_ use: ProgramUse) {
    guard use.recorded.isOfMany else { return }
    state.withLock { state in
      _ = state.many[ManyPrograms(app: use.recorded, account: use.account), default: []].insert(use.process)
    }
  }

  /// Notes that an unknown or other program has ended, as the agent has reported.
  func ends(_ use: ProgramUse) {
    guard use.recorded.isOfMany else { return }
    let place = ManyPrograms(app: use.recorded, account: use.account)
    state.withLock { state in
      state.many[place]?.remove(use.process)
      if state.many[place]?.isEmpty == true { state.many[place] = nil }
    }
  }

  /// Reads the sessions from their journal, after a change or at the start.
  func read(from store: Store) async throws(StoreError) {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    let read = try await store.openSessions().filter { $0.bootID == bootID }
    state.withLock { state in
      // A reading that was begun later may end earlier, and shows all that this one does.
      guard number > state.shown else { return }
      state.shown = number
      let known = Dictionary(state.sessions.map { ($0.recordID, $0) }) { first, _ in first }
      state.sessions = read.map { session in
        var session = session
        // The journal is behind what the agent has reported since.
        if let known = known[session.recordID], !session.isPaused, known.lastSeenAt > session.lastSeenAt {
          (session.lastSeenAt, session.sessionEnd) = (known.lastSeenAt, known.sessionEnd)
        }
        return session
      }
      state.watched.formIntersection(state.sessions.flatMap(\.processes))
      state.follow(known.values)
    }
    changes.notify()
  }

  /// Notes that the connected agent watches a program of a session, which ran at an instant.
  func watch(_ process: ProcessIdentity, at instant: BootInstant, wall: Int64) {
    state.withLock { state in
      guard let index = state.sessions.firstIndex(where: { $0.processes.contains(process) }) else { return }
      state.watched.insert(process)
      state.sessions[index].ran(at: instant, wall: wall)
    }
  }

  /// Notes that no agent is connected, that another one is, or that it is silent.
  func unwatchAll() { state.withLock { ($0.watched, $0.many) = ([], [:]) } }

  /// Notes that the programs that the agent watches ran at an instant.
  func ran(at instant: BootInstant, wall: Int64) {
    state.withLock { state in
      for index in state.sessions.indices where !state.watched.isDisjoint(with: state.sessions[index].processes) {
        state.sessions[index].ran(at: instant, wall: wall)
      }
    }
  }
}

extension OpenUsageSession {
  fileprivate mutating func ran(at instant: BootInstant, wall: Int64) {
    if lastSeenAt < instant { (lastSeenAt, record.sessionEnd) = (instant, wall) }
  }
}
