import LatchkeyModel

/// The answers about children, their rules, requests and points.
extension ScriptedNode {
  func children() async throws(LocalAPIError) -> [ChildListing] { try answer(.children) { $0.children } }

  func addChild(_ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try answer(.addChild(request)) { $0.children[0] }
  }

  func renameChild(_ child: String, _ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try answer(.renameChild(child, request)) { $0.children[0] }
  }

  func removeChild(_ child: String) async throws(LocalAPIError) -> ChildListing {
    try answer(.removeChild(child)) { $0.children[0] }
  }

  func installedApps(device: String?, number: UInt64?) async throws(LocalAPIError) -> [InstalledListing] {
    try answer(.installedApps(device, number: number)) { $0.installed }
  }

  func accounts(device: String?) async throws(LocalAPIError) -> [AccountListing] {
    try answer(.accounts(device)) { $0.accounts }
  }

  func conditions() async throws(LocalAPIError) -> [ConditionListing] { try answer(.conditions) { $0.conditions } }

  func waitForAccounts(device: String) async throws(LocalAPIError) -> [AccountListing] {
    try answer(.waitForAccounts(device)) { $0.accounts }
  }

  func rules(ofChild child: String?) async throws(LocalAPIError) -> ChildRules {
    if let error = script.withLock({ $0.rulesError }) { throw error }
    return try answer(.rules(child)) { $0.rules }
  }

  func setRules(ofChild child: String, _ request: RuleRequest) async throws(LocalAPIError) -> RuleEdit {
    try answer(.setRules(child, request)) {
      RuleEdit(rules: $0.rules, commands: $0.edits.isEmpty ? [$0.command] : $0.edits)
    }
  }

  func grant(toChild child: String, _ request: GrantRequest) async throws(LocalAPIError) -> RuleEdit {
    try answer(.grant(child, request)) { RuleEdit(rules: $0.rules, commands: [$0.command]) }
  }

  func assignAccount(_ request: AccountRequest) async throws(LocalAPIError) -> AccountListing {
    try answer(.assignAccount(request)) { $0.accounts[0] }
  }

  func apps(ofChild child: String?) async throws(LocalAPIError) -> [ChildApps] {
    if let error = script.withLock({ $0.appsError }) { throw error }
    return try answer(.apps(child)) { script in
      // Of several children, each has the applications.
      let children = child == nil ? script.children : Array(script.children.prefix(1))
      return children.map { ChildApps(child: $0, apps: script.apps) }
    }
  }

  func today(ofChild child: String) async throws(LocalAPIError) -> ChildToday {
    try answer(.today(child)) { _ in SampleValues.today }
  }

  func todayEvents(ofChild child: String) async throws(LocalAPIError) -> AsyncStream<ChildToday> {
    try note(.today(child))
    return AsyncStream { continuation in
      continuation.yield(SampleValues.today)
      continuation.finish()
    }
  }

  func ownToday(caller: UInt32?) async throws(LocalAPIError) -> ChildToday {
    try answer(.ownToday(caller)) { _ in SampleValues.today }
  }

  func notices(caller: UInt32?, after: Int) async throws(LocalAPIError) -> AsyncStream<ChildNotice> {
    try note(.notices(caller, after: after))
    return AsyncStream { continuation in
      continuation.yield(SampleValues.notice)
      continuation.finish()
    }
  }

  func explain(child: String, app: String, at: Int64?) async throws(LocalAPIError) -> ChildExplanation {
    try answer(.explain(child, app, at)) { _ in SampleValues.explanation }
  }

  func useReport(_ query: UseReportQuery) async throws(LocalAPIError) -> UseReport {
    try answer(.useReport(query)) { _ in SampleValues.useReport }
  }

  func settings() async throws(LocalAPIError) -> FamilyRules {
    try answer(.settings) { $0.settings }
  }

  func setSettings(_ request: RuleRequest) async throws(LocalAPIError) -> FamilyEdit {
    try answer(.setSettings(request)) { FamilyEdit(rules: $0.settings, commands: [$0.command]) }
  }

  func requests(ofChild child: String?) async throws(LocalAPIError) -> [RequestListing] {
    try answer(.requests(child)) { $0.requests }
  }

  func ask(_ request: AskRequest) async throws(LocalAPIError) -> RequestListing {
    try answer(.ask(request)) { _ in SampleValues.requests[0] }
  }

  func answerRequest(_ answer: AnswerRequest) async throws(LocalAPIError) -> RequestListing {
    try self.answer(.answerRequest(answer)) { _ in SampleValues.requests[1] }
  }

  func points(ofChild child: String?, limit: Int) async throws(LocalAPIError) -> PointsListing {
    try answer(.points(child, limit: limit)) { _ in SampleValues.points }
  }

  func adjustPoints(_ request: PointsAdjustment) async throws(LocalAPIError) -> PointsAdjusted {
    try answer(.adjustPoints(request)) {
      PointsAdjusted(
        points: SampleValues.points, milliPoints: max(0, request.milliPoints), asked: max(0, -request.milliPoints),
        commands: request.milliPoints > 0 ? [] : [$0.command])
    }
  }

  func reviewPoints(_ request: PointsReview) async throws(LocalAPIError) -> ConfigurationCommand {
    try answer(.reviewPoints(request)) { $0.command }
  }

  func redeemPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed {
    try answer(.redeemPoints(request)) { _ in SampleValues.redeemed }
  }

  func refundPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed {
    try answer(.refundPoints(request)) { _ in SampleValues.redeemed }
  }
}
