/// A request to the local API whose texts are checked before a node sees it.
///
/// Spec: Protocol/07-local-api.md §1.
public protocol CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  var textFault: String? { get }
}

extension TextRule {
  /// A device as a person names it: by its name, its ID or a prefix of its ID.
  fileprivate static let device = TextRule(what: "The device", bytes: 1...128, characters: .visible)
  /// An address as a person gives it.
  fileprivate static let address = TextRule(what: "The peer's address", bytes: 1...300, characters: .visible)
  /// A pairing code, which may be pasted with line ends.
  fileprivate static let code = TextRule(what: "The code", bytes: 1...1_024, characters: .paragraphs)
}

extension CommandRequest: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? { TextRule.device.fault(in: device) ?? action.textFault }
}

extension InviteRequest: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? { childName.flatMap { TextRule.deviceName.fault(in: $0) } }
}

extension RenameRequest: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? {
    name.flatMap { TextRule.deviceName.fault(in: $0) }
      ?? childName.flatMap { $0.isEmpty ? nil : TextRule.deviceName.fault(in: $0) }
  }
}

extension JoinRequest: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? {
    TextRule.code.fault(in: code) ?? peer.flatMap { TextRule.address.fault(in: $0) }
  }
}

extension PairingAnswer: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? { nil }
}

extension UsageStartRequest: CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  public var textFault: String? {
    TextRule.appID.fault(in: appID) ?? displayName.flatMap { TextRule.displayName.fault(in: $0) }
      ?? TextRule.zone.fault(in: zone)
  }
}
