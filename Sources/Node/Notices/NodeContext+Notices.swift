import LatchkeyAgentProtocol
import LatchkeyModel

extension NodeContext {
  /// Tells the child whose account it is what the agent has reported, if it concerns the child.
  ///
  /// A report that arrives late is told as what it is now, and not at all if it is over.
  func tellChild(of report: AgentReport) async {
    switch report.event {
    case .warned(let account, let app, let left):
      let rest = left - max(0, now() - report.at)
      guard rest > 0, let reason = enforcementState.terms(of: app, in: account)?.reason else { return }
      await tell(
        .warned, Self.key(app), account,
        ClosingSentence.warning(reason: reason, left: rest, phrase: enforcementState.phrase(of:)), at: report.at)
    case .closed(let use, let deed, let reason, _):
      let grace = enforcementState.terms(of: use.app, in: use.account)?.graceMilliseconds ?? ProgramTerms.usualGrace
      let isSaving = deed == .asked && grace > ProgramTerms.usualGrace
      await tell(
        isSaving ? .warned : .closed, Self.key(use.app), use.account,
        ClosingSentence.closed(
          reason: reason, deed: deed, graceMilliseconds: grace, phrase: enforcementState.phrase(of:)), at: report.at)
    case .sessionsWarned(let account, let left, let reason):
      let rest = left - max(0, now() - report.at)
      guard rest > 0 else { return }
      await tell(
        .warned, "sessions", account,
        ClosingSentence.sessionsWarning(reason: reason, left: rest, phrase: enforcementState.phrase(of:)),
        at: report.at)
    case .sessionsClosed(let account, false, let reason):
      await tell(
        .closed, "sessions", account,
        ClosingSentence.sessionsClosed(reason: reason, phrase: enforcementState.phrase(of:)), at: report.at)
    default: return
    }
  }

  private static func key(_ app: AppID?) -> String { app.map { "app/\($0.text)" } ?? ChildNotice.unknownKey }

  private func tell(
    _ kind: ChildNotice.Kind, _ key: String, _ account: UInt32, _ sentence: Phrase, at instant: BootInstant
  ) async {
    let reader: NoticeBoard.Reader
    switch try? await readHousehold().user(of: account, on: own) {
    case .child(let child): reader = .child(child)
    case .together: reader = .account(account)
    case .nobody, nil: return
    }
    notices.post(kind, key: key, sentence, to: reader, at: instant)
  }
}

extension EnforcementState {
  /// Returns the terms of an application by the last orders; `nil` if no orders are about it.
  func terms(of app: AppID?, in account: UInt32) -> ProgramTerms? {
    guard let orders = orderedAccounts.first(where: { $0.account == account }) else { return nil }
    return app.map { app in orders.programs.first { $0.app == app }?.terms } ?? orders.unknown
  }
}
