/// A condition of a child's machine, as `GET /v1/conditions` lists it.
///
/// Spec: Protocol/10-household.md §6.
public struct ConditionListing: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var deviceName: DeviceName
  /// A Boolean value that indicates whether it is the machine of the node that answers.
  public var isOwn: Bool
  /// When the machine was last heard, in Unix milliseconds; `nil` for the node's own.
  public var heardAt: Int64?
  public var condition: MachineCondition
  /// The log-in name of the account that it is about; `nil` if it is about the machine.
  public var accountName: String?
  /// What people call the application that it is about; `nil` if it is about no application.
  public var app: ConditionKind.AppWords?
  /// The names of the children whom it is about, such as those without a PIN; empty if that is not
  /// known.
  public var children: [DeviceName]

  public init(
    deviceID: DeviceID, deviceName: DeviceName, isOwn: Bool, heardAt: Int64? = nil, condition: MachineCondition,
    accountName: String? = nil, app: ConditionKind.AppWords? = nil, children: [DeviceName] = []
  ) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.isOwn = isOwn
    self.heardAt = heardAt
    self.condition = condition
    self.accountName = accountName
    self.app = app
    self.children = children
  }
}

extension ConditionListing {
  /// A Boolean value that indicates whether it weakens the rules, so that a parent is warned.
  public var isWarning: Bool {
    ConditionKind.named(condition.name).map { $0.weight != .information } ?? false
  }

  /// Returns the sentence about a machine that is called so, and the next step; `nil` if this
  /// version does not know the condition.
  public func words(on machine: String) -> (sentence: String, next: String)? {
    phrases(on: .text(machine)).map { ($0.sentence.worded(), $0.next.worded()) }
  }

  /// Returns the same as phrases; `machine` is what the machine is called.
  public func phrases(on machine: Phrase.Argument) -> (sentence: Phrase, next: Phrase)? {
    let account = accountName ?? condition.account.map { String($0) } ?? ""
    return ConditionKind.named(condition.name)?.phrases(
      on: machine, account: account, detail: condition.detail, app: app, children: children.map(\.text),
      isHere: isOwn)
  }
}
