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

/// The body of `POST /v1/devices/{device}/rename`, which renames a device or assigns it to a child.
public struct RenameRequest: Hashable, Sendable, Codable {
  /// The new name, 1 to 64 bytes of UTF-8; `nil` to keep it.
  public var name: String?
  /// The name of the child whose machine it is, 1 to 64 bytes of UTF-8; empty for no child, `nil`
  /// to keep it.
  public var childName: String?

  public init(name: String? = nil, childName: String? = nil) {
    self.name = name
    self.childName = childName
  }
}

/// The body of `POST /v1/usage/sessions`, which starts to record a program.
///
/// Only a child's node accepts it. The times are checked and not stored: the session begins when
/// the node accepts the request, by the node's own clocks.
public struct UsageStartRequest: Hashable, Sendable, Codable {
  public var appID: String
  /// The application's name for people; `nil` for the name in the rules, or else the ID.
  public var displayName: String?
  public var processID: Int32
  /// The start time of the process: field 22 of /proc/PID/stat, in clock ticks since boot.
  public var processStartTime: UInt64
  /// The start by CLOCK_BOOTTIME in milliseconds.
  public var startedAt: BootInstant
  /// The start by the wall clock in Unix milliseconds.
  public var startedAtWall: Int64
  /// The IANA name of the caller's time zone.
  public var zone: String

  public init(
    appID: String, displayName: String? = nil, processID: Int32, processStartTime: UInt64, startedAt: BootInstant,
    startedAtWall: Int64, zone: String
  ) {
    self.appID = appID
    self.displayName = displayName
    self.processID = processID
    self.processStartTime = processStartTime
    self.startedAt = startedAt
    self.startedAtWall = startedAtWall
    self.zone = zone
  }
}
