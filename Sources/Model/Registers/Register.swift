/// One entry of the household's desired state: what a person edits as one.
///
/// Of two edits of one register the one with the later hybrid time holds, on every machine and in
/// whatever order they arrive. Deleting is an edit: the register stays, without a value.
///
/// Spec: Protocol/10-household.md §2.
public struct Register: Hashable, Sendable {
  /// The largest number of bytes of a value.
  public static let valueBytes = 20_480

  /// The zone, which decides the machines that hold the register.
  public var zone: Zone
  public var key: RegisterKey
  /// The value, at most 20,480 bytes in the key's form; `nil` if the register was deleted.
  public var value: String?
  /// The time of the edit and its author.
  public var modified: HybridTimestamp

  public init(_ zone: Zone, _ key: RegisterKey, _ value: String?, modified: HybridTimestamp) {
    (self.zone, self.key, self.value, self.modified) = (zone, key, value, modified)
  }

  /// Returns whether this edit holds although another one of the same register is present.
  ///
  /// Equal times are the same edit. A value breaks a tie that a faulty author has made, so that all
  /// machines agree.
  public func holds(over other: Register) -> Bool {
    if modified != other.modified { return modified > other.modified }
    guard let value, let present = other.value else { return value != nil && other.value == nil }
    return present.utf8.lexicographicallyPrecedes(value.utf8)
  }

  /// The child whom a machine serves by this register; `nil` for another register (10 §2).
  public var servedChild: ChildID? {
    guard case .machine = zone, value == "yes" else { return nil }
    return key.servedChild
  }

  /// The value as anybody may read it: what a PIN is kept as is nobody's to read.
  public var shownValue: String? { key == "pin" ? value.map { _ in "set" } : value }
}

/// The part of the household's desired state that a register belongs to, which decides the machines
/// that hold it.
///
/// Spec: Protocol/10-household.md §2.
public enum Zone: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The registers of the whole family, which every machine holds.
  case family
  /// The registers of one child, which the machines of this child hold and no others.
  case child(ChildID)
  /// The registers of one machine, such as the children who use it, which the machine itself holds.
  case machine(DeviceID)

  /// The number of the zone's form on the wire: 1 family, 2 child, 3 machine.
  public var form: UInt8 {
    switch self {
    case .family: 1
    case .child: 2
    case .machine: 3
    }
  }

  /// The ID that the form needs: none for the family, 16 bytes for a child, 20 bytes for a machine.
  public var id: [UInt8] {
    switch self {
    case .family: []
    case .child(let id): id.bytes
    case .machine(let id): id.bytes
    }
  }

  /// Creates a zone from its form and ID; `nil` for an unknown form or a wrong size.
  public init?(form: UInt8, id: [UInt8]) {
    switch form {
    case 1:
      guard id.isEmpty else { return nil }
      self = .family
    case 2:
      guard let id = ChildID(bytes: id) else { return nil }
      self = .child(id)
    case 3:
      guard let id = DeviceID(bytes: id) else { return nil }
      self = .machine(id)
    default: return nil
    }
  }

  /// The form in one byte, followed by the ID: 1, 17 or 21 bytes, as the database keeps it.
  public var bytes: [UInt8] { [form] + id }

  /// Creates a zone from its form in one byte, followed by the ID; returns `nil` for anything else.
  public init?(bytes: [UInt8]) {
    guard let form = bytes.first else { return nil }
    self.init(form: form, id: Array(bytes.dropFirst()))
  }

  /// Returns whether `left` sorts before `right`, which compares the bytes.
  public static func < (left: Zone, right: Zone) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

  /// The zone for a log: `family`, `child/…` or `machine/…`.
  public var description: String {
    switch self {
    case .family: "family"
    case .child(let id): "child/\(id)"
    case .machine(let id): "machine/\(id)"
    }
  }

  /// The kind of a zone in JSON.
  public enum Word: String, Codable, Sendable, Hashable, CaseIterable { case family, child, machine }
}

extension RegisterKey {
  /// The child that a key `child/ID` names; `nil` for any other key.
  public var servedChild: ChildID? {
    let segments = segments
    guard segments.count == 2, segments[0] == "child" else { return nil }
    return ChildID(segments[1])
  }
}

extension Register: Codable {
  private enum Field: String, CodingKey { case zone, id, key, value, modified }

  /// The member `zone` is `family`, `child` or `machine`, with the child's or device's ID in `id`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let zone: Zone
    switch try fields.decode(Zone.Word.self, forKey: .zone) {
    case .family: zone = .family
    case .child: zone = .child(try fields.decode(ChildID.self, forKey: .id))
    case .machine: zone = .machine(try fields.decode(DeviceID.self, forKey: .id))
    }
    self.init(
      zone, try fields.decode(RegisterKey.self, forKey: .key), try fields.decodeIfPresent(String.self, forKey: .value),
      modified: try fields.decode(HybridTimestamp.self, forKey: .modified))
  }

  /// Leaves out `id` for the family, `value` if it was deleted, and the hash of a PIN (`set`).
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    switch zone {
    case .family: try fields.encode(Zone.Word.family, forKey: .zone)
    case .child(let id):
      try fields.encode(Zone.Word.child, forKey: .zone)
      try fields.encode(id, forKey: .id)
    case .machine(let id):
      try fields.encode(Zone.Word.machine, forKey: .zone)
      try fields.encode(id, forKey: .id)
    }
    try fields.encode(key, forKey: .key)
    try fields.encodeIfPresent(shownValue, forKey: .value)
    try fields.encode(modified, forKey: .modified)
  }
}
