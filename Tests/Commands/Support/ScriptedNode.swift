import LatchkeyModel
import Synchronization

/// A node without a network: it notes what it was asked and answers with what the test put in.
final class ScriptedNode: NodeInterface {
  /// One request as it arrived.
  enum Call: Hashable, Sendable {
    case status, sync, devices, nearby, pairings, settings
    case syncNow(String?)
    case queue(String?, StreamClass?, limit: Int)
    case queueEntry(String, StreamClass, UInt64)
    case unpair(String)
    case forget(String)
    case release(String)
    case rename(String, RenameRequest)
    case adopt(String)
    case invite(InviteRequest)
    case join(JoinRequest)
    case pairing(String, after: Int)
    case nearbyInvitations(after: Int)
    case answerPairing(String, PairingAnswer)
    case cancelPairing(String)
    case issue(CommandRequest)
    case commands(String?, limit: Int)
    case command(String)
    case waitForCommand(String)
    case cancelCommand(String)
    case markMessageRead(String)
    case children
    case addChild(ChildNameRequest)
    case renameChild(String, ChildNameRequest)
    case removeChild(String)
    case accounts(String?)
    case conditions
    case waitForAccounts(String)
    case assignAccount(AccountRequest)
    case rules(String?)
    case setRules(String, RuleRequest)
    case grant(String, GrantRequest)
    case setSettings(RuleRequest)
    case apps(String?)
    case installedApps(String?, number: UInt64?)
    case usage(UsageQuery)
    case today(String)
    case ownToday(UInt32?)
    case notices(UInt32?, after: Int)
    case explain(String, String, Int64?)
    case useReport(UseReportQuery)
    case startUsage(UsageStartRequest)
    case endUsage(String)
    case requests(String?)
    case ask(AskRequest)
    case answerRequest(AnswerRequest)
    case points(String?, limit: Int)
    case adjustPoints(PointsAdjustment)
    case reviewPoints(PointsReview)
    case redeemPoints(PointsRedemption)
    case refundPoints(PointsRedemption)
  }

  /// The answers; a long poll takes the next of its list, and waits forever when the list is empty.
  struct Script: Sendable {
    var status = SampleValues.status
    var syncStates: [SyncState] = [.idle]
    /// A Boolean value that indicates whether the stream ends after the events instead of staying open.
    var endsSync = true
    var devices = [SampleValues.peer]
    var pairing = SampleValues.pairing
    var pairingChanges: [PairingProgress] = []
    /// Instead of them, for a node that fails in between.
    var pairingResults: [Result<PairingProgress, LocalAPIError>] = []
    /// Instead of an end by cancelling.
    var cancelled: PairingProgress?
    /// Instead of `devices`, one a call; the last one stays.
    var deviceLists: [[PeerStatus]] = []
    var queue = [SampleValues.queueEntry]
    var nearby: [NearbyInvitations] = []
    var machines = SampleValues.nearby
    var answered = SampleValues.pairing
    var command = SampleValues.command
    /// The commands that carry an edit; one, `command`, if it is empty.
    var edits: [ConfigurationCommand] = []
    var commandEnds: [Result<ConfigurationCommand, LocalAPIError>] = [.success(SampleValues.command)]
    var children = [SampleValues.child]
    var accounts = SampleValues.accounts
    var conditions = SampleValues.conditions
    var apps = [SampleValues.listing]
    var rules = SampleValues.rules
    var requests = SampleValues.requests
    /// What is installed on children's machines.
    var installed: [InstalledListing] = []
    var settings = SampleValues.settings
    var pages = [UsagePage(sessions: [SampleValues.session], next: nil)]
    /// Thrown when applications are asked for.
    var appsError: LocalAPIError?
    /// Thrown when a child's rules are asked for.
    var rulesError: LocalAPIError?
    /// Thrown by everything that can throw.
    var error: LocalAPIError?
    /// Thrown by the reports of use, one a call, before they work.
    var usageErrors: [LocalAPIError] = []
  }

  let script: Mutex<Script>
  private let noted = Mutex<[Call]>([])
  /// Every request as it arrives.
  let arrivals: AsyncStream<Call>
  private let arrived: AsyncStream<Call>.Continuation
  /// The streams of events whose readers have gone.
  let endings: AsyncStream<Void>
  private let ended: AsyncStream<Void>.Continuation

  init(_ script: Script = Script()) {
    self.script = Mutex(script)
    (arrivals, arrived) = AsyncStream.makeStream()
    (endings, ended) = AsyncStream.makeStream()
  }

  var calls: [Call] { noted.withLock { $0 } }

  func note(_ call: Call) throws(LocalAPIError) {
    noted.withLock { $0.append(call) }
    arrived.yield(call)
    if let error = script.withLock({ $0.error }) { throw error }
  }

  func next<Value: Sendable>(_ take: (inout Script) -> Value?) -> Value? { script.withLock { take(&$0) } }

  private func waitWithoutEnd() async -> LocalAPIError {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    return LocalAPIError(.internal, "The wait was cancelled.")
  }

  func answer<Value: Sendable>(_ call: Call, _ read: (Script) -> Value) throws(LocalAPIError) -> Value {
    try note(call)
    return script.withLock { read($0) }
  }

  func status() async throws(LocalAPIError) -> NodeStatus { try answer(.status) { $0.status } }

  func syncStates() async -> AsyncStream<SyncState> {
    try? note(.sync)
    let (states, ends) = script.withLock { ($0.syncStates, $0.endsSync) }
    return AsyncStream { continuation in
      continuation.onTermination = { [ended] _ in ended.yield() }
      for state in states { continuation.yield(state) }
      if ends { continuation.finish() }
    }
  }

  func devices() async throws(LocalAPIError) -> [PeerStatus] {
    try note(.devices)
    return script.withLock { script in
      if script.deviceLists.count > 1 { return script.deviceLists.removeFirst() }
      return script.deviceLists.first ?? script.devices
    }
  }

  func nearby() async throws(LocalAPIError) -> NearbyMachines { try answer(.nearby) { $0.machines } }

  func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus] {
    try answer(.syncNow(device)) { $0.devices }
  }

  func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry] {
    try answer(.queue(device, streamClass, limit: limit)) { $0.queue }
  }

  func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry {
    try answer(.queueEntry(device, streamClass, number)) { $0.queue[0] }
  }

  func unpair(device: String) async throws(LocalAPIError) -> UnpairResult {
    try answer(.unpair(device)) { _ in SampleValues.unpaired }
  }

  func forget(device: String) async throws(LocalAPIError) -> UnpairResult {
    try answer(.forget(device)) { _ in SampleValues.unpaired }
  }

  func release(device: String) async throws(LocalAPIError) -> PeerStatus {
    try answer(.release(device)) { _ in SampleValues.peer }
  }

  func rename(device: String, _ request: RenameRequest) async throws(LocalAPIError) -> RenameResult {
    try answer(.rename(device, request)) { _ in
      RenameResult(
        deviceID: SampleValues.childID, name: DeviceName(sanitising: request.name ?? SampleValues.childName.text),
        childName: request.childName, isOwn: DeviceID(device) == SampleValues.status.deviceID, untold: [],
        unassigned: request.childName == nil ? [] : ["emma"])
    }
  }

  func adopt(device: String) async throws(LocalAPIError) -> [AdoptedSetting] { try answer(.adopt(device)) { _ in [] } }

  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    try answer(.invite(request)) { $0.pairing }
  }

  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    try answer(.join(request)) { $0.pairing }
  }

  func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress {
    try note(.pairing(id, after: change))
    if let result = next({ $0.pairingResults.isEmpty ? nil : $0.pairingResults.removeFirst() }) {
      return try result.get()
    }
    guard let progress = next({ $0.pairingChanges.isEmpty ? nil : $0.pairingChanges.removeFirst() }) else {
      throw await waitWithoutEnd()
    }
    return progress
  }

  func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations {
    try note(.nearbyInvitations(after: change))
    guard let found = next({ $0.nearby.isEmpty ? nil : $0.nearby.removeFirst() }) else { throw await waitWithoutEnd() }
    return found
  }

  func pairings() async throws(LocalAPIError) -> [PairingProgress] { try answer(.pairings) { [$0.pairing] } }

  func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    try self.answer(.answerPairing(id, answer)) { $0.answered }
  }

  func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress {
    try answer(.cancelPairing(id)) { script in
      if let cancelled = script.cancelled { return cancelled }
      var ended = script.pairing
      (ended.phase, ended.outcome) = (.ended, .cancelled)
      return ended
    }
  }

  func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand {
    try answer(.issue(request)) { $0.command }
  }

  func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand] {
    try answer(.commands(device, limit: limit)) { [$0.command] }
  }

  func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try answer(.command(id)) { $0.command }
  }

  func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try note(.waitForCommand(id))
    guard let end = next({ $0.commandEnds.isEmpty ? nil : $0.commandEnds.removeFirst() }) else {
      throw await waitWithoutEnd()
    }
    return try end.get()
  }

  func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try answer(.cancelCommand(id)) { $0.command }
  }

  func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage {
    try answer(.markMessageRead(id)) { $0.status.messages[0] }
  }

  func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage {
    try note(.usage(query))
    return next({ $0.pages.isEmpty ? nil : $0.pages.removeFirst() }) ?? UsagePage(sessions: [], next: nil)
  }

  func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted {
    try note(.startUsage(request))
    if let error = next({ $0.usageErrors.isEmpty ? nil : $0.usageErrors.removeFirst() }) { throw error }
    return SampleValues.started
  }

  func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord {
    try note(.endUsage(recordID))
    if let error = next({ $0.usageErrors.isEmpty ? nil : $0.usageErrors.removeFirst() }) { throw error }
    return SampleValues.record
  }
}
