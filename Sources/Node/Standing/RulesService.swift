import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// A service that decides for the children of a child's machine, and says in the log what is due, once each.
///
/// Nothing is closed: what holds is recorded and shown.
///
/// Spec: Protocol/11-rules.md §5.
struct RulesService: Sendable {
  let context: NodeContext
  /// The longest time between two decisions, in milliseconds.
  private static let pause: Int64 = 3_600_000
  /// The shortest time between two decisions, in milliseconds.
  private static let rest: Int64 = 500

  func run() async {
    var said: [ChildID: Set<ChildStanding.Notice>] = [:]
    var week: FamilyDay?
    while !Task.isCancelled {
      let seen = context.changes.version
      var wait = Self.pause
      if context.profile.role == .child {
        do { wait = try await look(&said, &week) } catch {
          context.logger.error("the rules could not be looked at", metadata: ["reason": "\(error)"])
        }
      }
      await context.changes.wait(after: seen, milliseconds: wait)
      // Many changes in a row are looked at together.
      do { try await Task.sleep(for: .milliseconds(Self.rest)) } catch { return }
    }
  }

  /// Decides for each child, and returns for how many milliseconds that holds.
  private func look(
    _ said: inout [ChildID: Set<ChildStanding.Notice>], _ week: inout FamilyDay?
  ) async throws(StoreError) -> Int64 {
    let household = try await context.readHousehold()
    var wait = Self.pause
    var kept: [ChildID: Set<ChildStanding.Notice>] = [:]
    for child in household.children(of: context.own) {
      let standing = try await StandingReader(context: context).read(child, household)
      try await note(standing)
      wait = min(wait, max(0, standing.verdicts.decideAgain - context.now()))
      // A warning is due again at each of its times.
      for warning in standing.verdicts.verdicts.values.flatMap(\.warnings) {
        let left = warning - context.now()
        if left > 0 { wait = min(wait, left) }
      }
      for notice in standing.notices {
        kept[child, default: []].insert(notice.unspoken)
        guard said[child]?.contains(notice.unspoken) != true else { continue }
        context.logger.notice(
          "recorded, not enforced", metadata: ["what": "\(notice.sentence)", "rule": "\(notice.rule)"])
      }
      let monday = standing.situation.day.startOfWeek
      if week != monday {
        let start = standing.rules.boundary.start(of: monday.advanced(byDays: -7))
        try await context.store.forgetSharedUse(before: start)
        week = monday
      }
    }
    said = kept
    return wait
  }

  /// Records since when sessions run on although a rule has closed their programs.
  ///
  /// Learning of that kind earns nothing until a parent has reviewed it.
  private func note(_ standing: ChildStanding) async throws(StoreError) {
    var (closed, reopened): ([RecordID], [RecordID]) = ([], [])
    let now = context.now()
    for session in try await context.store.openSessions()
    where session.child == standing.child && session.bootID == context.bootID {
      let isOpen = standing.verdicts.verdicts[.app(session.appID)]?.isAllowed ?? true
      if !isOpen, session.closedAt == nil { closed.append(session.recordID) }
      // What was closed for longer than a moment stays so until it ends.
      if isOpen, let since = session.closedAt, now - since < LearningEvidence.closedMilliseconds {
        reopened.append(session.recordID)
      }
    }
    guard !closed.isEmpty || !reopened.isEmpty else { return }
    try await context.store.note(closed: closed, reopened: reopened, now: now)
  }
}

extension ChildStanding.Notice {
  /// The notice without the sentence, whose minutes change while it is the same.
  var unspoken: Self {
    var notice = self
    notice.sentence = ""
    return notice
  }
}
