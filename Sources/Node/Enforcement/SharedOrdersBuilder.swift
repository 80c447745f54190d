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

  /// Returns the orders for an account; `nil` without children.
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
    var matchers: [AppMatcher] = []
    for matcher in builders.flatMap({ $0.matchers(of: id) }) where !matchers.contains(matcher) {
      matchers.append(matcher)
    }
    let processes = builders.first?.processes(of: id, in: account) ?? []
    guard !matchers.isEmpty || !processes.isEmpty else { return nil }
    let verdicts = builders.map { verdict(of: id, by: $0) }
    guard let shared = SharedVerdict(strictest: verdicts) else { return nil }
    let apps = builders.map { $0.standing.rules.app(id) }
    let winner = builders[shared.place]
    return ProgramOrder(
      app: id, category: shared.verdict.category,
      isAlwaysAllowed: apps.allSatisfy { $0.isAlwaysAllowed && !$0.isBlocked },
      countsLaunches: apps.contains { $0.launches == .counted },
      terms: winner.terms(
        shared.verdict, of: .app(id), name: winner.standing.name(of: id), account: account,
        step: apps[shared.place].step == .pause ? .pause : .close, grace: (apps.map(\.grace).min() ?? 0) * 1_000),
      matchers: Array(matchers.prefix(Self.mostMatchers)), processes: processes)
  }

  /// The most matchers of one application.
  private static let mostMatchers = 64

  /// Returns the verdict of one child's rules on an application.
  ///
  /// If nothing recognizes it by these rules, the program is one that no rule names, or an unknown
  /// one if an account has it in its own folder: the stricter of both verdicts holds.
  private func verdict(of id: AppID, by builder: OrdersBuilder) -> Verdict {
    let verdict = builder.verdict(of: .app(id))
    guard builder.matchers(of: id).isEmpty else { return verdict }
    let other: Subject = builder.installed[id]?.isOwn == true ? .unknown : .app(.otherPrograms)
    return SharedVerdict(strictest: [verdict, builder.verdict(of: other)])?.verdict ?? verdict
  }

  private func terms(_ shared: SharedVerdict, of subject: Subject, name: String, _ account: UInt32) -> ProgramTerms {
    builders[shared.place].terms(shared.verdict, of: subject, name: name, account: account)
  }

  private func unknown(in account: UInt32) -> ProgramTerms? {
    guard builders.contains(where: { $0.unknownVerdict != nil }),
      let shared = SharedVerdict(strictest: builders.map { $0.verdict(of: .unknown) })
    else { return nil }
    return terms(shared, of: .unknown, name: OrdersBuilder.unknownName, account)
  }

  /// The sessions stay open for as long as one of the children may have them open, because that
  /// child says there who is there.
  private func sessions(of account: UInt32) -> SessionTerms? {
    let verdicts = builders.compactMap(\.sessionVerdict)
    guard verdicts.count == builders.count, let shared = SharedVerdict(mildest: verdicts) else { return nil }
    return builders[shared.place].sessions(shared.verdict, of: account)
  }

  /// Whatever counts for one of the children is measured, for the longest of their times.
  private var screen: ScreenTerms {
    let all = builders.map(\.screen)
    return ScreenTerms(
      all.contains { $0.source != .programs } ? .sessions : .programs,
      graceMilliseconds: all.map(\.graceMilliseconds).max() ?? 0)
  }
}
