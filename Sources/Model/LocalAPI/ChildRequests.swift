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

/// `POST /v1/children/{child}/pin`: a child's new PIN.
public struct ChildPINRequest: Hashable, Sendable, Codable {
  /// The PIN, 4 to 12 digits; `nil` to remove it.
  public var pin: String?

  public init(pin: String?) { self.pin = pin }
}

extension ChildPINRequest: CheckedRequest {
  /// A sentence about a text that is no PIN; `nil` for one that is, and for none.
  public var textFault: String? { pin.flatMap { PIN($0) == nil ? PIN.fault : nil } }
}

/// `POST /v1/me/present`: who is there in an account that several children share.
public struct PresenceRequest: Hashable, Sendable, Codable {
  /// The child, as a person names it; `nil` for nobody.
  public var child: String?
  /// The child's PIN; `nil` for nobody, and to ask whether a PIN would be taken now.
  public var pin: String?

  public init(child: String?, pin: String?) { (self.child, self.pin) = (child, pin) }
}

extension PresenceRequest: CheckedRequest {
  /// A sentence about a text that cannot be used; `nil` if all can.
  public var textFault: String? {
    child.flatMap { TextRule.deviceName.fault(in: $0) } ?? pin.flatMap { PIN($0) == nil ? PIN.fault : nil }
  }
}

/// `POST /v1/accounts/assign`: whose an account of a child's machine is.
public struct AccountRequest: Hashable, Sendable, Codable {
  /// The machine, as a person names it; `nil` for the only one that has such an account.
  public var device: String?
  /// The account: its log-in name or its number.
  public var account: String
  /// The children, as a person names them, at most 8; none for nobody.
  public var children: [String]
  /// Whether the machine may look for an account of this name that it has not told of; `nil` for
  /// no.
  public var isUnlisted: Bool?

  public init(device: String?, account: String, children: [String], isUnlisted: Bool? = nil) {
    self.device = device
    self.account = account
    self.children = children
    self.isUnlisted = isUnlisted
  }
}

extension AccountRequest: CheckedRequest {
  /// A sentence about a text that cannot be used; `nil` if all can.
  public var textFault: String? {
    device.flatMap { TextRule.deviceName.fault(in: $0) } ?? TextRule.accountName.fault(in: account)
      ?? (children.count > AccountOwners.most ? "An account is that of at most 8 children: name fewer." : nil)
      ?? children.lazy.compactMap { TextRule.deviceName.fault(in: $0) }.first
  }
}
