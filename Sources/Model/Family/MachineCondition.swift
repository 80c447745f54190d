/// A condition on a child's machine that weakens the parents' rules, such as a child's account that
/// may become root.
///
/// Spec: Protocol/10-household.md §6.
public struct MachineCondition: Hashable, Sendable, Codable, InventoryEntry {
  public static let most = 64

  /// The name of the condition for programs: lower-case words joined by `-`, 1 to 64 bytes.
  public var name: String
  /// The number of the account that it is about; `nil` if it is about the machine.
  public var account: UInt32?
  /// The detail, such as the name of a group: a *word* of 1 to 64 bytes, or empty.
  public var detail: String

  public init(_ name: String, account: UInt32? = nil, detail: String = "") {
    (self.name, self.account, self.detail) = (name, account, detail)
  }

  /// A Boolean value that indicates whether less of the rules is carried out than a parent expects.
  public var weakensRules: Bool { ConditionKind.named(name).map { $0.weight != .information } ?? false }

  public var fault: String? {
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
    guard isName, (1...64).contains(name.utf8.count) else { return "The condition has no name of lower-case letters." }
    return detail.isEmpty ? nil : TextRule.accountName.fault(in: detail)
  }

  package static let inventory = InventoryKind(name: "conditions", most: most, about: .condition)

  package var lines: [String] {
    var words = [name]
    if account != nil || !detail.isEmpty { words.append(account.map { String($0) } ?? "-") }
    if !detail.isEmpty { words.append(detail) }
    return [words.joined(separator: " ")]
  }

  package init?(lines: [String]) {
    guard lines.count == 1 else { return nil }
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count <= 3 else { return nil }
    self.init(words[0], account: words.count > 1 ? UInt32(words[1]) : nil, detail: words.count > 2 ? words[2] : "")
  }

  /// How much of what the rules would close stays open on the machine.
  public var reach: ConditionReach { Self.reach(of: name) }

  /// A Boolean value that indicates whether its detail is the ID of an application.
  public var isOfApplication: Bool {
    reach == .application || ["rules-off", "rule-shared-matcher", "always-allowed", "app-blocked"].contains(name)
  }

  /// Returns how much stays open on a machine with a condition.
  public static func reach(of name: String) -> ConditionReach {
    switch name {
    case "agent-silent", "no-agent", "no-account", "too-many-rules": .machine
    case "rule-no-account", "rule-other-account": .account
    case "rule-unrecognized", "rule-own-entry", "rule-own-file", "rule-needed-program", "rule-matches-everything",
      "rule-bad-matcher":
      .application
    default: .nothing
    }
  }
}

/// How much of what the rules would close stays open on a machine with a condition.
///
/// Receipts and explanations both use it, so that they agree about a machine.
///
/// Spec: Protocol/10-household.md §6.
public enum ConditionReach: Hashable, Sendable {
  case nothing
  /// The application that the condition is about.
  case application
  /// Everything in the account that the condition is about.
  case account
  /// Everything on the machine.
  case machine
}

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
  /// The name of the application that it is about; `nil` if it is about no application.
  public var app: ConditionKind.AppWords?
  /// The children whom it is about, such as those without a PIN; empty for unknown.
  public var children: [DeviceName]

  public init(
    deviceID: DeviceID, deviceName: DeviceName, isOwn: Bool, heardAt: Int64? = nil, condition: MachineCondition,
    accountName: String? = nil, app: ConditionKind.AppWords? = nil, children: [DeviceName] = []
  ) {
    (self.deviceID, self.deviceName, self.isOwn, self.heardAt) = (deviceID, deviceName, isOwn, heardAt)
    (self.condition, self.accountName, self.app, self.children) = (condition, accountName, app, children)
  }

  /// A Boolean value that indicates whether it weakens the rules, so that a parent is warned.
  public var isWarning: Bool { ConditionKind.named(condition.name).map { $0.weight != .information } ?? false }

  /// Returns the sentence about a machine and the next step; `nil` for an unknown condition.
  public func words(on machine: String) -> (sentence: String, next: String)? {
    phrases(on: .text(machine)).map { ($0.sentence.worded(), $0.next.worded()) }
  }

  /// Returns the same as phrases; `machine` is the name of the machine.
  public func phrases(on machine: Phrase.Argument) -> (sentence: Phrase, next: Phrase)? {
    let account = accountName ?? condition.account.map { String($0) } ?? ""
    return ConditionKind.named(condition.name)?.phrases(
      on: machine, account: account, detail: condition.detail, app: app, children: children.map(\.text), isHere: isOwn)
  }
}
