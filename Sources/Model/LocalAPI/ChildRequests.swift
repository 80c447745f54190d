/// `POST /v1/children`, `POST /v1/children/{child}/rename`: a child's name.
public struct ChildNameRequest: Hashable, Sendable, Codable {
  /// The name, 1 to 64 bytes of UTF-8.
  public var name: String

  public init(name: String) { self.name = name }
}

extension ChildNameRequest: CheckedRequest {
  /// A sentence about a name that cannot be used; `nil` if it can.
  public var textFault: String? { TextRule.deviceName.fault(in: name) }
}

/// `POST /v1/accounts/assign`: whose an account of a child's machine is.
public struct AccountRequest: Hashable, Sendable, Codable {
  /// The machine, as a person names it; `nil` for the only one that has such an account.
  public var device: String?
  /// The account: its log-in name or its number.
  public var account: String
  /// The child, as a person names it; `nil` for nobody.
  public var child: String?
  /// Whether the machine may look for an account of this name that it has not told of; `nil` for
  /// no.
  public var isUnlisted: Bool?

  public init(device: String?, account: String, child: String?, isUnlisted: Bool? = nil) {
    self.device = device
    self.account = account
    self.child = child
    self.isUnlisted = isUnlisted
  }
}

extension AccountRequest: CheckedRequest {
  /// A sentence about a text that cannot be used; `nil` if all can.
  public var textFault: String? {
    device.flatMap { TextRule.deviceName.fault(in: $0) } ?? TextRule.accountName.fault(in: account)
      ?? child.flatMap { TextRule.deviceName.fault(in: $0) }
  }
}
