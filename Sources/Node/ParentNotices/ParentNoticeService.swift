import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// A service on a parent's machine that notes what follows from the passing of time and from
/// several facts together: used-up limits, silent machines, rules that are not in force, and
/// learning that waits.
///
/// What one fact says is noted in the transaction that stores the fact. Here, the key of each
/// notice follows from what is stored, so that it is told once whenever the node is started again.
///
/// Spec: Protocol/07-local-api.md §4.
struct ParentNoticeService: Sendable {
  let node: NodeService
  /// Milliseconds after which parents are told of a silent machine.
  static let silenceMilliseconds: Int64 = 172_800_000
  /// Milliseconds after which connected machines are noted as heard again.
  private static let heardMilliseconds: Int64 = 3_600_000
  private static let rest: ClosedRange<Int64> = 1_000...30_000
  private var context: NodeContext { node.context }

  func run() async {
    await context.changes.follow(
      retry: Self.heardMilliseconds, "what parents are told could not be kept", context.logger, rest: Self.rest
    ) {
      var wait = Self.heardMilliseconds
      let household = try await context.readHousehold()
      var notices = try await machines(&wait)
      notices += try await overdue(&wait)
      for child in household.children { notices += try await limits(of: child.id, household, &wait) }
      try await context.store.tell(notices, at: context.wall())
      return wait
    }
  }

  /// Returns the notices of machines that have been silent for too long, or are there again.
  private func machines(_ wait: inout Int64) async throws -> [StoredNotice] {
    let connected = await node.directory.connected
    let silences = try await context.store.silences()
    var notices: [StoredNotice] = []
    for (device, silence) in silences where !connected.contains(device) {
      let left = Self.silenceMilliseconds - silence.milliseconds
      if left > 0 { wait = min(wait, left) } else { notices.append(Self.silent(device, silence.since)) }
    }
    for notice in try await context.store.notices(after: 0).notices where notice.kind == .machineSilent {
      guard let device = notice.device, connected.contains(device) else { continue }
      notices.append(StoredNotice(.machineBack, key: "back/" + notice.key, device: device))
    }
    let stale = silences.filter { connected.contains($0.key) && $0.value.milliseconds >= Self.heardMilliseconds }
    try await context.store.hear(Array(stale.keys) + connected.filter { silences[$0] == nil })
    return notices
  }

  private static func silent(_ device: DeviceID, _ since: Int64) -> StoredNotice {
    StoredNotice(.machineSilent, key: "silent/\(Hexadecimal.encode(device.bytes))/\(since)", device: device)
  }

  /// Returns the notices of machines on which what was set is not in force.
  private func overdue(_ wait: inout Int64) async throws -> [StoredNotice] {
    let edits = try await context.store.overdueEdits(of: Edit.kind, after: Call.overdueMilliseconds)
    let open = try await context.store.overdueEdits(of: Edit.kind, after: 0)
    // Those that are not overdue yet are looked at again in a while.
    if open.keys.contains(where: { edits[$0] == nil }) { wait = min(wait, Call.overdueMilliseconds / 12) }
    return edits.map { device, command in
      StoredNotice(.ruleNotInForce, key: "overdue/\(Hexadecimal.encode(command.bytes))", device: device)
    }
  }

  /// Returns the notices of limits that a child has used up today, and of learning that is held.
  private func limits(of child: ChildID, _ household: Household, _ wait: inout Int64) async throws -> [StoredNotice] {
    var standing = try await context.standing(of: child, household)
    if standing.appIDs.contains(where: { standing.name(of: $0) == $0.text }) {
      let installed = try await context.store.inventories(InstalledApp.self)
      for app in household.machines(of: child).compactMap({ installed[$0.device]?.entries }).joined() {
        standing.installed[app.appID] = app.name
      }
    }
    let (day, who) = (standing.situation.day, Hexadecimal.encode(child.bytes))
    let running = Set(standing.running.map(\.use.appID))
    var notices: [String: StoredNotice] = [:]
    for app in Set(standing.today.apps.keys).union(running) where app != .screenTime {
      for (reason, held) in standing.plan.explain(Subject(app), in: standing.situation).considered where reason.isLimit
      {
        switch held {
        case .open(let left?): if running.contains(app) { wait = min(wait, left + 1) }
        case .open(nil): break
        case .closed:
          let words = standing.words(reason, of: Subject(app), name: standing.name(of: app), isToday: false).worded()
          // A limit of nothing is never used up.
          guard standing.today.apps[app] ?? 0 > 0, !words.hasPrefix("0 min") else { continue }
          let place = reason == .appLimit ? "\(reason.word)/\(app.text)" : reason.word
          // A character that is cut off takes up to three bytes.
          let key = String(decoding: "limit/\(who)/\(day)/\(place)".utf8.prefix(252), as: UTF8.self)
          notices[key] = StoredNotice(.limitReached, key: key, child: child, detail: words)
        }
      }
    }
    let isHeld = try await context.store.look { try !PointsPage.held(in: $0.ledger(of: child)).isEmpty }
    if isHeld {
      let key = "held/\(who)/\(day)"
      notices[key] = StoredNotice(.learningHeld, key: key, child: child)
    }
    return notices.values.sorted { $0.key < $1.key }
  }
}
