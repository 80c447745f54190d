/// Everything the local API can ask of a running node; the routes serve it, the node implements it.
///
/// Every method throws `LocalAPIError`. A device is named by its name, its ID, or a beginning of its ID that fits one device.
public protocol NodeInterface: Sendable {
  func status() async throws(LocalAPIError) -> NodeStatus
  /// A stream of the node's sync state: the present one at once, then each change; bounded, newest kept.
  func syncStates() async -> AsyncStream<SyncState>

  /// Try at once to reach the peers that there is no session with, and say what both hold again to those that there is one with.
  ///
  /// - Parameter device: nil for all.
  func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus]
  /// What waits, most urgent class and oldest first.
  ///
  /// - Parameters:
  ///   - device: nil for all.
  ///   - streamClass: nil for all.
  func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry]
  /// One item that waits.
  func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry

  func devices() async throws(LocalAPIError) -> [PeerStatus]
  /// What announces itself on the network now.
  func nearby() async throws(LocalAPIError) -> NearbyMachines
  func unpair(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Drop a device at once, whatever its state: its keys are erased, and it hears nothing.
  func forget(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Talk to a quarantined device again.
  func release(device: String) async throws(LocalAPIError) -> PeerStatus

  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress
  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress
  /// Open codes that are announced on the network, once that has changed since `change`, or after 25 s.
  func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations
  /// Wait until the pairing has changed since `change`, at most 25 s, and give how it stands.
  func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress
  /// Open pairings, without their codes.
  func pairings() async throws(LocalAPIError) -> [PairingProgress]
  func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress
  func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress

  /// Make a command durable; it returns after the commit.
  func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand
  /// Commands, newest first.
  func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand]
  /// By ID, or a beginning of it that fits one command.
  func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Wait until the command's status is final, at most 25 s, and give how it stands.
  func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand

  /// Marks a message that a parent sent as read, by the ID of its command.
  func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage

  func apps(device: String?) async throws(LocalAPIError) -> [AppListing]
  func settings() async throws(LocalAPIError) -> FamilySettings

  func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage
  /// Totals a day, newest first; `from` and `to` are days such as `2026-11-01`, both inclusive.
  func summaries(device: String?, from: String?, to: String?) async throws(LocalAPIError) -> [DailySummary]
  func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted
  /// Looks at once whether the programs of a session have ended, and returns the session's record if they have.
  func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord
}
