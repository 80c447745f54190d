/// Everything that the local API asks of a running node, by feature.
///
/// The node implements these protocols, and a client of the local API offers them to other programs. Every method throws
/// `LocalAPIError`. A device is named by its name, its ID, or a beginning of its ID that fits one device.
public typealias NodeInterface = StatusAPI & QueueAPI & DevicesAPI & PairingAPI & CommandsAPI & RulesAPI & UsageAPI

/// The state of the node, and of its exchange with other machines.
public protocol StatusAPI: Sendable {
  /// Returns the state of the node.
  func status() async throws(LocalAPIError) -> NodeStatus
  /// Returns the node's sync states: the present one at once, then each change. The stream keeps the newest for a slow reader.
  func syncStates() async -> AsyncStream<SyncState>
  /// Tries at once to reach the devices without a session, and repeats what both sides hold to those with one.
  ///
  /// - Parameter device: `nil` for all devices.
  func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus]
}

/// What waits to be delivered.
public protocol QueueAPI: Sendable {
  /// Returns waiting items, the most urgent class and the oldest item first.
  ///
  /// - Parameters:
  ///   - device: `nil` for all devices.
  ///   - streamClass: `nil` for all classes.
  func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry]
  /// Returns one waiting item.
  func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry
}

/// The machines of the household.
public protocol DevicesAPI: Sendable {
  /// Returns the paired devices, and the removed ones that have not heard of their removal.
  func devices() async throws(LocalAPIError) -> [PeerStatus]
  /// Returns what announces itself on the network now.
  func nearby() async throws(LocalAPIError) -> NearbyMachines
  /// Removes a device and lets it know.
  func unpair(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Removes a device in any state without a word to it. Its keys are erased.
  func forget(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Gives a device another name, or says whose it is.
  ///
  /// - Parameter device: a paired device, or the node's own by its name or ID.
  func rename(device: String, _ request: RenameRequest) async throws(LocalAPIError) -> RenameResult
  /// Takes over what a child's machine says that it holds, where that differs from what is shown here, and returns what that was.
  func adopt(device: String) async throws(LocalAPIError) -> [Discrepancy]
  /// Ends the quarantine of a device.
  func release(device: String) async throws(LocalAPIError) -> PeerStatus
}

/// Adding machines to the household.
public protocol PairingAPI: Sendable {
  /// Opens a pairing code.
  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress
  /// Joins with a code.
  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress
  /// Returns the open codes that other machines announce once they have changed since `change`, after 25 s at the latest.
  func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations
  /// Returns a pairing once it has changed since `change`, after 25 s at the latest.
  func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress
  /// Returns the open pairings, without their codes.
  func pairings() async throws(LocalAPIError) -> [PairingProgress]
  /// Answers the question of a pairing.
  func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress
  /// Breaks a pairing off.
  func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress
}

/// What a parent asks of the children's machines.
public protocol CommandsAPI: Sendable {
  /// Makes a command durable and returns it after the commit.
  func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns commands, the newest first.
  func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand]
  /// Returns a command by its ID, or a beginning of it that fits one command.
  func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns a command once its status is final, after 25 s at the latest.
  func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns a stream of commands: those at once that are not final, then each one that is new or has changed. It keeps the
  /// newest for a slow reader.
  ///
  /// - Parameter device: `nil` for all devices.
  func commandEvents(device: String?) async throws(LocalAPIError) -> AsyncStream<ConfigurationCommand>
  /// Takes a command back that no other machine has stored. The earlier one that it had replaced is queued again.
  func cancelCommand(id: String) async throws(LocalAPIError) -> CancelResult
  /// Marks a message that a parent sent as read, by the ID of its command.
  func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage
}

/// The rules of applications and of the family.
public protocol RulesAPI: Sendable {
  /// Returns the applications that have rules.
  ///
  /// - Parameter device: `nil` for all devices; on a child's node, for itself.
  func apps(device: String?) async throws(LocalAPIError) -> [AppListing]
  /// Returns the rules of the family.
  func settings() async throws(LocalAPIError) -> FamilySettings
}

/// The recorded use of applications.
public protocol UsageAPI: Sendable {
  /// Returns a page of sessions, the newest first.
  func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage
  /// Returns totals of days, the newest first; `from` and `to` are days such as `2026-11-01`, both inclusive.
  func summaries(device: String?, from: String?, to: String?) async throws(LocalAPIError) -> [DailySummary]
  /// Starts to record a program.
  func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted
  /// Checks at once whether the programs of a session have ended, and returns the session's record if they have.
  func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord
}
