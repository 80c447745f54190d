/// The requests that the local API makes of a running node, by feature.
///
/// The node implements these protocols, and a client of the local API offers them to other programs. Every method throws
/// `LocalAPIError`. A device is named by its name, its ID, or a beginning of its ID that fits one device.
public typealias NodeInterface = StatusAPI & QueueAPI & DevicesAPI & PairingAPI & CommandsAPI & ChildrenAPI & RulesAPI
  & UsageAPI & TodayAPI
  & RequestsAPI & PointsAPI
  & ApplicationsAPI & ConditionsAPI

/// The state of the node, and of its exchange with other machines.
public protocol StatusAPI: Sendable {
  /// Returns the state of the node.
  func status() async throws(LocalAPIError) -> NodeStatus
  /// Returns the node's sync states: the present one immediately, then each change, of which a slow reader gets the
  /// newest.
  func syncStates() async -> AsyncStream<SyncState>
  /// Dials the devices without a session immediately, and repeats the stored positions to those with one.
  ///
  /// - Parameter device: The device; `nil` for all devices.
  /// - Returns: The state of those devices.
  /// - Throws: `LocalAPIError` if the device is unknown, the caller's fault.
  func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus]
}

/// The items that wait for delivery.
public protocol QueueAPI: Sendable {
  /// Returns waiting items, the most urgent class and the oldest item first.
  ///
  /// - Parameters:
  ///   - device: The receiver; `nil` for all devices.
  ///   - streamClass: The class; `nil` for all classes.
  ///   - limit: The largest number of items to return.
  /// - Returns: The waiting items.
  /// - Throws: `LocalAPIError` if the device is unknown, the caller's fault.
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
  /// Returns the machines that announce themselves on the network.
  func nearby() async throws(LocalAPIError) -> NearbyMachines
  /// Removes a device and tells it.
  func unpair(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Removes a device in any state without telling it, and erases its keys.
  func forget(device: String) async throws(LocalAPIError) -> UnpairResult
  /// Renames a device, or assigns it to a child.
  ///
  /// - Parameters:
  ///   - device: A paired device, or the node's own by its name or ID.
  ///   - request: The new name, the child's name, or both.
  /// - Returns: The names after the change, and the devices that have not heard of it yet.
  /// - Throws: `LocalAPIError` if the device is unknown or another device has the name, the caller's fault.
  func rename(device: String, _ request: RenameRequest) async throws(LocalAPIError) -> RenameResult
  /// Sets again what this machine had set, has lost since, and a child's machine says that it holds; returns it.
  func adopt(device: String) async throws(LocalAPIError) -> [AdoptedSetting]
  /// Ends the quarantine of a device.
  func release(device: String) async throws(LocalAPIError) -> PeerStatus
}

/// Adding machines to the household.
public protocol PairingAPI: Sendable {
  /// Opens a pairing code.
  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress
  /// Joins with a code.
  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress
  /// Returns the open codes that other machines announce, after their next change since `change` or 25 s.
  func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations
  /// Returns a pairing after its next change since `change` or 25 s.
  func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress
  /// Returns the open pairings, without their codes.
  func pairings() async throws(LocalAPIError) -> [PairingProgress]
  /// Answers the question of a pairing.
  func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress
  /// Cancels a pairing.
  func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress
}

/// The commands of a parent to the children's machines.
public protocol CommandsAPI: Sendable {
  /// Issues a command and returns it after the commit.
  func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns commands, newest first.
  func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand]
  /// Returns a command by its ID or an unambiguous prefix of it.
  func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns a command when its status is final, or after 25 s.
  func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Returns a stream of commands: those whose status is not final, then each new or changed one.
  ///
  /// A slow reader gets the newest.
  ///
  /// - Parameter device: The child's machine; `nil` for all devices.
  /// - Returns: The stream, which ends with the node.
  /// - Throws: `LocalAPIError` if the device is unknown, the caller's fault.
  func commandEvents(device: String?) async throws(LocalAPIError) -> AsyncStream<ConfigurationCommand>
  /// Takes a command back that no other machine has stored.
  func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand
  /// Marks a message that a parent sent as read, by the ID of its command.
  func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage
}

/// The children of the family, and the accounts of their machines.
public protocol ChildrenAPI: Sendable {
  /// Returns the children; on a child's node those whose machine it is.
  func children() async throws(LocalAPIError) -> [ChildListing]
  /// Adds a child.
  func addChild(_ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing
  /// Gives a child another name. A child is named by its name, or by a beginning of it that fits no other child.
  func renameChild(_ child: String, _ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing
  /// Removes a child from the family, and returns what was known of it.
  func removeChild(_ child: String) async throws(LocalAPIError) -> ChildListing
  /// Returns the accounts of children's machines; on a child's node its own. Without a device, those of all machines.
  func accounts(device: String?) async throws(LocalAPIError) -> [AccountListing]
  /// Returns the accounts of a child's machine when it has told of them and it is known whose it is, or after 5 s.
  func waitForAccounts(device: String) async throws(LocalAPIError) -> [AccountListing]
  /// Returns the rules of a child; on a child's node, the child need not be named if there is only one.
  func rules(ofChild child: String?) async throws(LocalAPIError) -> ChildRules
  /// Sets rules of a child, and returns them with the commands that carry them to the child's machines.
  func setRules(ofChild child: String, _ request: RuleRequest) async throws(LocalAPIError) -> RuleEdit
  /// Grants a child more time for the rest of the family's day, and returns the rules with the commands that carry it.
  func grant(toChild child: String, _ request: GrantRequest) async throws(LocalAPIError) -> RuleEdit
  /// Says whose an account is.
  func assignAccount(_ request: AccountRequest) async throws(LocalAPIError) -> AccountListing
}

/// The rules of applications and of the family.
public protocol RulesAPI: Sendable {
  /// Returns the applications that have rules, for each child.
  ///
  /// - Parameter child: The child; `nil` for all children.
  /// - Returns: What is in force, by child and application.
  /// - Throws: `LocalAPIError` if the child is unknown, the caller's fault.
  func apps(ofChild child: String?) async throws(LocalAPIError) -> [ChildApps]
  /// Returns the rules of the family.
  func settings() async throws(LocalAPIError) -> FamilyRules
  /// Sets rules of the whole family, and returns them with the commands that carry them to the children's machines.
  func setSettings(_ request: RuleRequest) async throws(LocalAPIError) -> FamilyEdit
}

/// The applications that children's machines have found on themselves.
public protocol ApplicationsAPI: Sendable {
  /// Returns the applications of children's machines; on a child's node its own.
  ///
  /// - Parameters:
  ///   - device: The machine; `nil` for all of them.
  ///   - number: The number of the list that is waited for, at most 5 s; `nil` for the present one.
  /// - Returns: The list of each machine.
  /// - Throws: `LocalAPIError` if the device is unknown, the caller's fault.
  func installedApps(device: String?, number: UInt64?) async throws(LocalAPIError) -> [InstalledListing]
}

/// What parents should know of children's machines.
public protocol ConditionsAPI: Sendable {
  /// Returns the conditions of children's machines; on a child's node its own.
  func conditions() async throws(LocalAPIError) -> [ConditionListing]
}

/// A child's day: what was used, what is left, and why.
public protocol TodayAPI: Sendable {
  /// Returns a child's day so far. A child is named by its name, or by a beginning of it that fits no other child.
  func today(ofChild child: String) async throws(LocalAPIError) -> ChildToday
  /// Returns a stream of a child's day: the present one immediately, then each change.
  ///
  /// A slow reader gets the newest.
  func todayEvents(ofChild child: String) async throws(LocalAPIError) -> AsyncStream<ChildToday>
  /// Returns the day of the child whose account the caller uses, on a child's machine.
  ///
  /// `caller` is the number of the caller's account as the kernel reports it; `nil` for the node's user.
  func ownToday(caller: UInt32?) async throws(LocalAPIError) -> ChildToday
  /// Returns a stream of what the child whose account the caller uses is told: what is kept, then each new notice.
  ///
  /// `caller` is as in `ownToday`; notices up to the number `after` are left out. A slow reader gets the newest.
  func notices(caller: UInt32?, after: Int) async throws(LocalAPIError) -> AsyncStream<ChildNotice>
  /// Returns why an application may run or may not at a moment of Unix milliseconds; `nil` for now.
  func explain(child: String, app: String, at: Int64?) async throws(LocalAPIError) -> ChildExplanation
  /// Returns a child's use by day, week or month.
  func useReport(_ query: UseReportQuery) async throws(LocalAPIError) -> UseReport
}

/// The recorded use of applications.
public protocol UsageAPI: Sendable {
  /// Returns a page of sessions, newest first.
  func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage
  /// Starts to record a program.
  func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted
  /// Checks whether the programs of a session have ended, and returns the session's record if they have.
  func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord
}

/// What children ask their parents for.
public protocol RequestsAPI: Sendable {
  /// Returns the requests of a child, or of all children if it is `nil`: open ones first, then the others of today.
  func requests(ofChild child: String?) async throws(LocalAPIError) -> [RequestListing]
  /// Asks the parents for time or for an application, on a child's machine.
  func ask(_ request: AskRequest) async throws(LocalAPIError) -> RequestListing
  /// Answers a request, on a parent's machine.
  func answerRequest(_ answer: AnswerRequest) async throws(LocalAPIError) -> RequestListing
}

/// The points of children.
public protocol PointsAPI: Sendable {
  /// Returns the points of a child, who need not be named if there is only one, with at most `limit` changes.
  func points(ofChild child: String?, limit: Int) async throws(LocalAPIError) -> PointsListing
  /// Changes the points of a child, on a parent's machine.
  func adjustPoints(_ request: PointsAdjustment) async throws(LocalAPIError) -> PointsAdjusted
  /// Decides about learning that looks wrong, on a parent's machine, and returns the command to the machine that holds it.
  func reviewPoints(_ request: PointsReview) async throws(LocalAPIError) -> ConfigurationCommand
  /// Changes points into time, on a child's machine.
  func redeemPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed
  /// Changes unused redeemed time back into points, on a child's machine.
  func refundPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed
}
