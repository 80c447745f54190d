/// Something about a child's machine that weakens what its parents ask of it, such as an account of
/// a child that may become root.
///
/// Spec: Protocol/10-household.md §6.
public struct MachineCondition: Hashable, Sendable, Codable {
  /// The most conditions that a machine tells of.
  public static let most = 64

  /// The name of the condition for programs: lower-case words joined by `-`, 1 to 64 bytes.
  public var name: String
  /// The number of the account that it is about; `nil` if it is about the machine.
  public var account: UInt32?
  /// What belongs to it, such as the name of a group: a *word* of 1 to 64 bytes, or empty.
  public var detail: String

  public init(_ name: String, account: UInt32? = nil, detail: String = "") {
    self.name = name
    self.account = account
    self.detail = detail
  }

  /// A Boolean value that indicates whether less of the rules is carried out than a parent expects.
  public var weakensRules: Bool { ConditionKind.named(name).map { $0.weight != .information } ?? false }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
    guard isName, (1...64).contains(name.utf8.count) else { return "The condition has no name of lower-case letters." }
    return detail.isEmpty ? nil : TextRule.accountName.fault(in: detail)
  }
}

extension MachineCondition: InventoryEntry {
  package static let inventory = InventoryKind("conditions", most: most)

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
}
