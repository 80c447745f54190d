/// Something about a child's machine that weakens what its parents ask of it, such as an account of a child that may become
/// root.
///
/// Spec: Protocol/10-household.md §6.
public struct MachineCondition: Hashable, Sendable, Codable {
  /// The most conditions that a machine tells of.
  public static let most = 64
  /// The most conditions of one receipt.
  public static let mostOfReceipt = 16

  /// The name of the condition for programs: lower-case words joined by `-`, 1 to 64 bytes.
  public var name: String
  /// The number of the account that it is about; `nil` if it is about the machine.
  public var account: UInt32?
  /// What belongs to it, such as the name of a group: a *word* of 1 to 64 bytes, or empty.
  public var detail: String

  /// Creates a condition.
  public init(_ name: String, account: UInt32? = nil, detail: String = "") {
    self.name = name
    self.account = account
    self.detail = detail
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
    guard isName, (1...64).contains(name.utf8.count) else { return "The condition has no name of lower-case letters." }
    return detail.isEmpty ? nil : TextRule.accountName.fault(in: detail)
  }
}
