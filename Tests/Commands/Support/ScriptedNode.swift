import LatchkeyModel
import Synchronization

@testable import LatchkeyNode

/// A node without a network: it notes what it was asked and answers with what the test put in.
final class ScriptedNode: NodeInterface {
  /// One request as it arrived.
  struct Call: Hashable, Sendable, CustomStringConvertible {
    private let request: OutgoingRequest?

    /// Returns the request of an endpoint.
    static func ask<Input, Output>(_ endpoint: Endpoint<Input, Output>, _ input: Input) -> Call {
      Call(request: try? endpoint.write(input))
    }

    /// The same without input.
    static func ask<Output>(_ endpoint: Endpoint<Void, Output>) -> Call { ask(endpoint, ()) }

    var description: String {
      guard let request else { return "a request that cannot be written" }
      return "\(request.method.rawValue) \(request.target.text) \(String(decoding: request.body ?? [], as: UTF8.self))"
    }
  }

  /// An edit that a person wrote.
  struct Edit: Hashable, Sendable {
    var child: String?
    var request: RuleRequest
  }

  /// The answers; a long poll takes the next of its list, and waits forever when the list is empty.
  struct Script: Sendable {
    var status = SampleValues.status
    var syncStates: [SyncState] = [.idle]
    /// A Boolean value that indicates whether the stream ends after the events instead of staying
    /// open.
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
    var browsers: [BrowserListing] = []
    var browsersError: LocalAPIError?
    var changes = [ChangeEvent(.start)]
    /// Instead of them, for changes that come while the test goes on.
    var changeStream: AsyncStream<ChangeEvent>?
    /// What a child is told; `nil` on a parent's machine.
    var childNotices: [ChildNotice]? = [SampleValues.notice]
    /// What parents are told, and up to where they were.
    var parentNotices: [ParentNotice] = []
    var position = 0
    /// The end of the quiet hours that it is now.
    var quietUntil: Int64?
    /// What becomes of answers to requests, one a call, instead of a success.
    var answerErrors: [LocalAPIError] = []
    /// Who shares the account of the caller.
    var shared = SharedAccount(children: [], present: nil)
    var apps = [SampleValues.listing]
    var rules = SampleValues.rules
    var requests = SampleValues.requests
    /// The day of every child.
    var today = SampleValues.today
    var explanation = SampleValues.explanation
    /// What is installed on children's machines.
    var installed: [InstalledListing] = []
    /// What children's machines have refused.
    var refused = SampleValues.refused
    var settings = SampleValues.settings
    var pages = [UsagePage(sessions: [SampleValues.session], next: nil)]
    /// Thrown when somebody says who is there.
    var presenceError: LocalAPIError?
    /// What becomes of PINs, one a call, instead of a success.
    var pinErrors: [LocalAPIError] = []
    /// Thrown when the caller's own day is asked for.
    var ownTodayError: LocalAPIError?
    /// Thrown when applications are asked for.
    var appsError: LocalAPIError?
    /// Thrown when a child's rules are asked for.
    var rulesError: LocalAPIError?
    /// Thrown by everything.
    var error: LocalAPIError?
    /// Thrown by the reports of use, one a call, before they work.
    var usageErrors: [LocalAPIError] = []

    /// The edits that were made, with whole keys and without removals of rules that are not set;
    /// the child is `nil` for the family.
    var made: [Edit] = []

    /// Makes an edit as a node does.
    fileprivate mutating func make(
      _ request: RuleRequest, of child: String?
    ) throws -> (app: EditedApp?, absent: [RegisterKey]) {
      var (request, app) = (request, EditedApp?.none)
      let set = Set((child == nil ? settings.rules : rules.rules).map(\.key))
      if let text = request.app {
        let known = KnownApps(apps, of: child == nil ? nil : rules.child.childID, on: installed)
        let resolved = try known.resolve(text, in: request, set)
        request = resolved.request
        app = resolved.app
      }
      let absent = request.changes.filter { change in
        change.value == nil && !set.contains { $0.text == change.key }
      }
      request.changes.removeAll { absent.contains($0) }
      if !request.changes.isEmpty { made.append(Edit(child: child, request: request)) }
      return (app, absent.compactMap { RegisterKey($0.key) })
    }

    /// Returns the name of the child that a request names, or of the only one.
    fileprivate func only(_ child: String?, orFamily: Bool) throws -> String {
      if child == nil, children.count != 1 {
        throw LocalAPIError.notOneChild(children.map(\.name.text), orFamily: orFamily)
      }
      return child ?? children[0].name.text
    }

    fileprivate mutating func throwUsageError() throws {
      if !usageErrors.isEmpty { throw usageErrors.removeFirst() }
    }
  }

  let script: Mutex<Script>
  private let noted = Mutex<[(route: String, call: Call, input: any Sendable)]>([])
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

  /// The edits that were made.
  var edits: [Edit] { script.withLock { $0.made } }

  var calls: [Call] { noted.withLock { $0.map(\.call) } }

  /// Returns the inputs with which an endpoint was asked.
  func inputs<Input, Output>(of endpoint: Endpoint<Input, Output>) -> [Input] {
    noted.withLock { $0.filter { $0.route == endpoint.route.operationID }.compactMap { $0.input as? Input } }
  }

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    let (call, route) = (Call.ask(endpoint, input), endpoint.route.operationID)
    noted.withLock { $0.append((route, call, input)) }
    arrived.yield(call)
    do {
      if let error = script.withLock({ $0.error }) { throw error }
      guard let answer = Self.answers[route] else {
        throw LocalAPIError(.internal, "The test has no answer to \(call).")
      }
      guard let found = try script.withLock({ try answer(&$0, input) }) else { throw await waitWithoutEnd() }
      if let answer = found as? Answer { return answer }
      if let states = found as? SyncStates, let answer = stream(states) as? Answer { return answer }
      throw LocalAPIError(.internal, "The answer to \(call) is of another type.")
    } catch {
      throw error as? LocalAPIError ?? LocalAPIError(.internal, "\(error)")
    }
  }

  private func waitWithoutEnd() async -> LocalAPIError {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    return LocalAPIError(.internal, "The wait was cancelled.")
  }

  /// The states of a stream, and whether it ends after them.
  private struct SyncStates {
    var states: [SyncState]
    var ends: Bool
  }

  private func stream(_ states: SyncStates) -> AsyncStream<SyncState> {
    AsyncStream { continuation in
      continuation.onTermination = { [ended] _ in ended.yield() }
      for state in states.states { continuation.yield(state) }
      if states.ends { continuation.finish() }
    }
  }

  /// The table from route to answer; an answer of `nil` never comes.
  private static let answers: [String: @Sendable (inout Script, any Sendable) throws -> Any?] = {
    var table: [String: @Sendable (inout Script, any Sendable) throws -> Any?] = [:]
    func on<Input, Output>(
      _ endpoint: Endpoint<Input, Output>, _ answer: @escaping @Sendable (inout Script, Input) throws -> Any?
    ) {
      table[endpoint.route.operationID] = { script, input in
        guard let input = input as? Input else { throw LocalAPIError(.internal, "The input is of another type.") }
        return try answer(&script, input)
      }
    }
    @Sendable func events<Event: Sendable>(_ events: [Event]) -> AsyncStream<Event> {
      AsyncStream { continuation in
        for event in events { continuation.yield(event) }
        continuation.finish()
      }
    }
    on(Endpoints.getStatus) { script, _ in script.status }
    on(Endpoints.getMetrics) { _, _ in "# HELP latchkey_peers Paired devices.\n" }
    on(Endpoints.syncStates) { script, _ in SyncStates(states: script.syncStates, ends: script.endsSync) }
    on(Endpoints.syncNow) { script, _ in script.devices }
    on(Endpoints.getQueue) { script, _ in script.queue }
    on(Endpoints.getQueueEntry) { script, _ in script.queue[0] }
    on(Endpoints.getDevices) { script, _ in
      script.deviceLists.count > 1 ? script.deviceLists.removeFirst() : script.deviceLists.first ?? script.devices
    }
    on(Endpoints.getNearby) { script, _ in script.machines }
    on(Endpoints.deleteDevice) { _, _ in SampleValues.unpaired }
    on(Endpoints.forgetDevice) { _, _ in SampleValues.unpaired }
    on(Endpoints.releaseDevice) { _, _ in SampleValues.peer }
    on(Endpoints.adoptRules) { _, _ in [AdoptedSetting]() }
    on(Endpoints.getBrowsers) { script, _ in
      if let error = script.browsersError { throw error }
      return script.browsers
    }
    on(Endpoints.getConditions) { script, _ in script.conditions }
    on(Endpoints.renameDevice) { _, input in
      RenameResult(
        deviceID: SampleValues.childID, name: DeviceName(sanitising: input.1.name ?? SampleValues.childName.text),
        childName: input.1.childName, isOwn: DeviceID(input.0) == SampleValues.status.deviceID, untold: [],
        unassigned: input.1.childName == nil ? [] : ["emma"])
    }
    on(Endpoints.invite) { script, _ in script.pairing }
    on(Endpoints.join) { script, _ in script.pairing }
    on(Endpoints.getPairings) { script, _ in [script.pairing] }
    on(Endpoints.waitForPairing) { script, _ in
      if !script.pairingResults.isEmpty { return try script.pairingResults.removeFirst().get() }
      return script.pairingChanges.isEmpty ? nil : script.pairingChanges.removeFirst()
    }
    on(Endpoints.waitForInvitations) { script, _ in script.nearby.isEmpty ? nil : script.nearby.removeFirst() }
    on(Endpoints.answerPairing) { script, _ in script.answered }
    on(Endpoints.cancelPairing) { script, _ in
      if let cancelled = script.cancelled { return cancelled }
      var ended = script.pairing
      (ended.phase, ended.outcome) = (.ended, .cancelled)
      return ended
    }
    on(Endpoints.issue) { script, _ in script.command }
    on(Endpoints.getCommands) { script, _ in [script.command] }
    on(Endpoints.getCommand) { script, _ in script.command }
    on(Endpoints.changeEvents) { script, _ in script.changeStream ?? events(script.changes) }
    on(Endpoints.getNotices) { script, _ in
      let isQuiet = script.quietUntil != nil
      let notices = isQuiet ? [] : script.parentNotices.filter { $0.number > script.position }
      return ParentNotices(
        notices: notices, position: notices.last?.number ?? script.position, quietUntil: script.quietUntil)
    }
    on(Endpoints.setPosition) { script, input in
      script.position = input.1.position
      return input.1
    }
    on(Endpoints.waitForCommand) { script, _ in
      script.commandEnds.isEmpty ? nil : try script.commandEnds.removeFirst().get()
    }
    on(Endpoints.waitForCommands) { script, _ in
      let commands = script.edits.isEmpty ? [script.command] : script.edits
      return try script.commandEnds.isEmpty
        ? nil
        : zip(commands, script.commandEnds).map { command, end in
          var ended = try end.get()
          ended.commandID = command.commandID
          return ended
        }
    }
    on(Endpoints.cancelCommand) { script, _ in script.command }
    on(Endpoints.markMessageRead) { script, _ in script.status.messages[0] }
    on(Endpoints.getChildren) { script, _ in script.children }
    on(Endpoints.addChild) { script, _ in script.children[0] }
    on(Endpoints.renameChild) { script, _ in script.children[0] }
    on(Endpoints.setPIN) { script, _ in script.children[0] }
    on(Endpoints.removeChild) { script, _ in script.children[0] }
    on(Endpoints.getAccounts) { script, _ in script.accounts }
    on(Endpoints.waitForAccounts) { script, _ in script.accounts }
    on(Endpoints.assignAccount) { script, _ in script.accounts[0] }
    on(Endpoints.getRules) { script, child in
      if let error = script.rulesError { throw error }
      _ = try script.only(child, orFamily: false)
      return script.rules
    }
    on(Endpoints.setRules) { script, input in
      let child = try script.only(input.0, orFamily: input.1.app != nil)
      let (app, absent) = try script.make(input.1, of: child)
      return RuleEdit(
        rules: script.rules, commands: script.edits.isEmpty ? [script.command] : script.edits,
        machines: script.devices.map(EditedMachine.init), app: app, absent: absent)
    }
    on(Endpoints.grantTime) { script, input in
      _ = try script.only(input.0, orFamily: false)
      let known = KnownApps(script.apps, of: script.rules.child.childID, on: script.installed)
      return RuleEdit(
        rules: script.rules, commands: [script.command], machines: script.devices.map(EditedMachine.init),
        app: try input.1.app.map { try known.find($0) })
    }
    on(Endpoints.getApps) { script, child in
      if let error = script.appsError { throw error }
      // Of several children, each has the applications.
      let children = child == nil ? script.children : Array(script.children.prefix(1))
      return children.map { ChildApps(child: $0, apps: script.apps) }
    }
    on(Endpoints.getSettings) { script, _ in script.settings }
    on(Endpoints.setSettings) { script, request in
      let (app, absent) = try script.make(request, of: nil)
      return FamilyEdit(
        rules: script.settings, commands: [script.command], machines: script.devices.map(EditedMachine.init), app: app,
        absent: absent)
    }
    on(Endpoints.getInstalled) { script, _ in script.installed }
    on(Endpoints.getRefused) { script, child in
      script.refused.filter { child == nil || $0.childName.text == child }
    }
    on(Endpoints.getAudit) { _, _ in AuditPage(entries: []) }
    on(Endpoints.getUsage) { script, _ in
      script.pages.isEmpty ? UsagePage(sessions: [], next: nil) : script.pages.removeFirst()
    }
    on(Endpoints.getTrackedApp) { script, app in
      if let error = script.appsError { throw error }
      try Endpoints.getTrackedApp.route.place?.check(script.status.role)
      return try KnownApps(script.apps, of: nil, on: script.installed).tracked(app)
    }
    on(Endpoints.startUsage) { script, _ in
      try script.throwUsageError()
      return SampleValues.started
    }
    on(Endpoints.endUsage) { script, _ in
      try script.throwUsageError()
      return SampleValues.record
    }
    on(Endpoints.getToday) { script, _ in script.today }
    on(Endpoints.getPresence) { script, _ in script.shared }
    on(Endpoints.setPresence) { script, request in
      if let error = script.presenceError { throw error }
      let isNamed = request.pin != nil
      if isNamed, !script.pinErrors.isEmpty { throw script.pinErrors.removeFirst() }
      return SharedAccount(
        children: script.shared.children, present: isNamed ? request.child.map { DeviceName(sanitising: $0) } : nil)
    }
    on(Endpoints.getOwnToday) { script, _ in
      if let error = script.ownTodayError { throw error }
      return script.today
    }
    on(Endpoints.noticeEvents) { script, _ in
      guard let notices = script.childNotices else { throw LocalAPIError(.wrongRole, "This is a parent's machine.") }
      return events(notices)
    }
    on(Endpoints.getExplanation) { script, _ in script.explanation }
    on(Endpoints.getUseReport) { _, _ in SampleValues.useReport }
    on(Endpoints.getRequests) { script, _ in script.requests }
    on(Endpoints.ask) { _, _ in SampleValues.requests[0] }
    on(Endpoints.answerRequest) { script, _ in
      if !script.answerErrors.isEmpty { throw script.answerErrors.removeFirst() }
      return SampleValues.requests[1]
    }
    on(Endpoints.getPoints) { _, _ in SampleValues.points }
    on(Endpoints.adjustPoints) { script, request in
      PointsAdjusted(
        points: SampleValues.points, milliPoints: max(0, request.milliPoints), asked: max(0, -request.milliPoints),
        commands: request.milliPoints > 0 ? [] : [script.command])
    }
    on(Endpoints.reviewPoints) { script, _ in script.command }
    on(Endpoints.redeemPoints) { _, _ in SampleValues.redeemed }
    on(Endpoints.refundPoints) { _, _ in SampleValues.redeemed }
    return table
  }()
}
