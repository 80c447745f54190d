import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules

/// The orders for an account that several children share while none has said who is there: for
/// each program, those of the strictest verdict.
///
/// Spec: Protocol/11-rules.md §5, 13-agent.md §4.
struct SharedOrdersBuilder {
  /// One for each child, by what holds while nobody is named; at least one.
  let builders: [OrdersBuilder]

  func orders(for account: UInt32) -> AccountOrders? {
    guard let first = builders.first else { return nil }
    let ids = builders.reduce(into: Set<AppID>()) { $0.formUnion($1.apps(in: account)) }
    var programs = ids.compactMap { program($0, in: account) }
    if first.isSystem, let shared = SharedVerdict(strictest: builders.map { $0.verdict(of: .app(.otherPrograms)) }) {
      let terms = terms(shared, of: .app(.otherPrograms), name: OrdersBuilder.otherName, account)
      programs.append(first.others(shared.verdict, terms, besides: programs))
    }
    return first.orders(
      for: account, screen: screen, sessions: sessions(of: account), unknown: unknown(in: account), programs: programs)
  }

  private func program(_ id: AppID, in account: UInt32) -> ProgramOrder? {
    let each = builders.map { $0.matchers(of: id) }
    var matchers: [AppMatcher] = []
    for matcher in each.joined() where !matchers.contains(matcher) { matchers.append(matcher) }
    let processes = builders.first?.processes(of: id, in: account) ?? []
    guard !matchers.isEmpty || !processes.isEmpty else { return nil }
    guard let shared = verdict(of: id) else { return nil }
    let apps = builders.map { $0.standing.rules.app(id) }
    // What only some of the rules recognize is not the same program for the others.
    let isSame = each.allSatisfy { Set($0) == Set(matchers) }
    return ProgramOrder(
      app: id, category: shared.verdict.category,
      isAlwaysAllowed: isSame && apps.allSatisfy { $0.isAlwaysAllowed && !$0.isBlocked },
      countsLaunches: apps.contains { $0.launches == .counted },
      terms: terms(
        shared, of: .app(id), name: builders[shared.place].standing.name(of: id), account,
        subjects: subjects(of: id), step: apps[shared.place].step == .pause ? .pause : .close,
        grace: (apps.map(\.grace).min() ?? 0) * 1_000),
      matchers: Array(matchers.prefix(OrdersBuilder.mostMatchers)), processes: processes)
  }

  func verdict(of id: AppID) -> SharedVerdict? {
    SharedVerdict(
      strictest: zip(builders, subjects(of: id)).compactMap { builder, subjects in
        SharedVerdict(strictest: subjects.map { builder.verdict(of: $0) })?.verdict
      })
  }

  func isSame(_ id: AppID) -> Bool { subjects(of: id).allSatisfy { $0.count == 1 } }

  private func subjects(of id: AppID) -> [[Subject]] {
    let each = builders.map { Set($0.matchers(of: id)) }
    let all = each.reduce(into: Set()) { $0.formUnion($1) }
    return zip(builders, each).map { subjects(of: id, by: $0, besides: all.subtracting($1)) }
  }

  /// Returns what an application is by one child's rules; the strictest of the verdicts holds.
  ///
  /// What only the other children's matchers recognize is one of the other programs by these rules
  /// if the machine has it installed; otherwise it may be an unknown one as well.
  private func subjects(of id: AppID, by builder: OrdersBuilder, besides foreign: Set<AppMatcher>) -> [Subject] {
    if foreign.isEmpty { return builder.subjects(of: id) }
    let isInstalled = builder.installed[id].map { !$0.isOwn && foreign.isSubset(of: $0.matchers) } == true
    return [.app(id), .app(.otherPrograms)] + (isInstalled ? [] : [.unknown])
  }

  /// Returns the terms by a verdict, with the least time to save that one of the children has.
  ///
  /// `subjects` is what the program is by the rules of each child; `nil` if that is the same.
  private func terms(
    _ shared: SharedVerdict, of subject: Subject, name: String, _ account: UInt32,
    subjects: [[Subject]]? = nil, step: ProgramTerms.Step = .close, grace: Int64 = ProgramTerms.usualGrace
  ) -> ProgramTerms {
    // Nobody pays for the time to save, whatever closes what costs points.
    let each = Array(zip(builders, subjects ?? builders.map { _ in [subject] }))
    let isLong = grace > ProgramTerms.usualGrace && shared.verdict.category == .reward
    let isPaid = isLong && each.contains { builder, subjects in subjects.contains { builder.isUnnamed($0) } }
    var terms = builders[shared.place].terms(
      shared.verdict, of: subject, name: name, account: account, step: step,
      grace: isPaid ? ProgramTerms.usualGrace : grace)
    let leavesNoTime = each.contains { builder, subjects in
      subjects.contains { builder.standing.plan.leavesNoTime(to: $0, in: builder.standing.situation) }
    }
    if !shared.verdict.isAllowed, leavesNoTime { (terms.step, terms.graceMilliseconds) = (.close, 0) }
    return terms
  }

  private func unknown(in account: UInt32) -> ProgramTerms? {
    guard builders.contains(where: { $0.unknownVerdict != nil }),
      let shared = SharedVerdict(strictest: builders.map { $0.verdict(of: .unknown) })
    else { return nil }
    return terms(shared, of: .unknown, name: OrdersBuilder.unknownName, account)
  }

  /// Returns the mildest terms: a child who may have the sessions open says in them who is there.
  private func sessions(of account: UInt32) -> SessionTerms? {
    let verdicts = builders.compactMap(\.sessionVerdict)
    guard verdicts.count == builders.count, let shared = SharedVerdict(mildest: verdicts) else { return nil }
    return builders[shared.place].sessions(shared.verdict, of: account)
  }

  /// The screen time: what counts for one child is measured, for the longest of their times.
  private var screen: ScreenTerms {
    let all = builders.map(\.screen)
    return ScreenTerms(
      all.contains { $0.source != .programs } ? .sessions : .programs,
      graceMilliseconds: all.map(\.graceMilliseconds).max() ?? 0)
  }
}

extension OrdersBuilder {
  fileprivate func isUnnamed(_ subject: Subject) -> Bool {
    standing.plan.explain(subject, in: standing.situation).considered.contains { $0.reason == .unnamed }
  }
}
