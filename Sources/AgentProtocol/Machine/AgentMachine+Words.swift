import LatchkeyModel

extension AgentMachine {
  /// Returns the terms of an application, or of unknown programs, in an account.
  public func terms(of app: AppID?, in account: UInt32) -> ProgramTerms? { accounts[account]?.terms(of: app) }

  /// Returns the report that a program is closed, with the matchers of one that is no application.
  func closed(
    _ use: ProgramUse, _ deed: AgentReport.Deed, _ terms: ProgramTerms?, _ known: Followed
  ) -> AgentReport.Event {
    let isApplication = use.app.map { $0 != .otherPrograms } ?? false
    return .closed(
      use, deed, reason: terms.map { reason($0, of: known) } ?? "", matchers: isApplication ? [] : known.facts.matchers)
  }

  /// Returns the reason why a program is closed: the reason in its terms, with the name of an
  /// unknown program.
  private func reason(_ terms: ProgramTerms, of known: Followed) -> String {
    guard let use = known.use, use.app == nil || use.app == .otherPrograms else { return terms.reason }
    let images = known.facts.images
    let image = images.first { !$0.isLoader } ?? images.first
    return use.app == nil
      ? ClosingSentence.reason(terms.reason, ofUnknown: image?.name ?? "")
      : ClosingSentence.reason(terms.reason, ofOther: image?.name ?? "")
  }
}
