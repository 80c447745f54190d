import LatchkeyModel

extension ControlClient: NodeInterface {
  public func status() async throws(LocalAPIError) -> NodeStatus { try await ask(.status) }

  public func syncStates() async -> AsyncStream<SyncState> { SyncStateReader(stateFolder: stateFolder).states() }

  public func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus] {
    try await ask(.syncNow(device: device))
  }

  public func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry] {
    try await ask(.queue(device: device, streamClass: streamClass, limit: limit))
  }

  public func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry {
    try await ask(.queueEntry(device: device, streamClass: streamClass, number: number))
  }

  public func devices() async throws(LocalAPIError) -> [PeerStatus] { try await ask(.devices) }

  public func nearby() async throws(LocalAPIError) -> NearbyMachines { try await ask(.nearby) }

  public func unpair(device: String) async throws(LocalAPIError) -> UnpairResult {
    try await ask(.unpair(device: device))
  }

  public func forget(device: String) async throws(LocalAPIError) -> UnpairResult {
    try await ask(.forget(device: device))
  }

  public func release(device: String) async throws(LocalAPIError) -> PeerStatus {
    try await ask(.release(device: device))
  }

  public func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    try await ask(.invite, body: request)
  }

  public func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    try await ask(.join, body: request)
  }

  public func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress {
    try await ask(.pairing(id: id, after: change))
  }

  public func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations {
    try await ask(.nearbyInvitations(after: change))
  }
  public func pairings() async throws(LocalAPIError) -> [PairingProgress] { try await ask(.pairings) }

  public func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    try await ask(.answerPairing(id: id), body: answer)
  }

  public func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress {
    try await ask(.cancelPairing(id: id))
  }

  public func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(.issue, body: request)
  }

  public func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand] {
    try await ask(.commands(device: device, limit: limit))
  }

  public func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(.command(id: id))
  }

  public func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(.waitForCommand(id: id))
  }

  public func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(.cancelCommand(id: id))
  }

  public func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage {
    try await ask(.markMessageRead(id: id))
  }

  public func apps(device: String?) async throws(LocalAPIError) -> [AppListing] { try await ask(.apps(device: device)) }

  public func settings() async throws(LocalAPIError) -> FamilySettings { try await ask(.settings) }

  public func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage { try await ask(.usage(query)) }

  public func summaries(device: String?, from: String?, to: String?) async throws(LocalAPIError) -> [DailySummary] {
    try await ask(.summaries(device: device, from: from, to: to))
  }

  public func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted {
    try await ask(.startUsage, body: request)
  }

  public func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord {
    try await ask(.endUsage(recordID: recordID))
  }
}
