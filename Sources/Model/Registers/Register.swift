/// The key of a register: a path of segments, such as `schedule/bedtime` or
/// `app/org.gnome.Chess/limit`.
///
/// A key has 1 to 511 bytes and at least one segment. Segments are separated by `/`, and each is a
/// *word* (06 §1) without `/`. The set of keys is open: a machine of a later version may know more
/// of them.
///
/// Spec: Protocol/10-household.md §2.
public struct RegisterKey: Hashable, Sendable, Comparable, ExpressibleByStringLiteral, TextCodable {
  public static let noun = "a key of a register"

  /// The largest number of bytes of a key: two segments around the longest application ID fit.
  public static let bytes = 511

  public let text: String

  public var description: String { text }

  /// Checks and wraps a key; returns `nil` if it is malformed.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    self.text = text
  }

  /// Creates a key from segments; returns `nil` if the key they form is malformed.
  public init?(_ segments: [String]) {
    guard segments.allSatisfy({ !$0.utf8.contains(UInt8(ascii: "/")) }) else { return nil }
    self.init(segments.joined(separator: "/"))
  }

  /// The segments, at least one, none of them empty.
  public var segments: [Substring] { Self.segments(of: text) }

  /// Returns the parts between slashes, by bytes: an accent may follow a slash.
  private static func segments(of text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  private static func isValid(_ text: String) -> Bool {
    guard (1...bytes).contains(text.utf8.count) else { return false }
    guard segments(of: text).allSatisfy({ !$0.isEmpty }) else { return false }
    return TextRule.appID.allowsCharacters(of: text)
  }

  /// Returns whether `left` sorts before `right`, which compares the bytes of UTF-8.
  public static func < (left: RegisterKey, right: RegisterKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Creates a key from a literal, which must be well formed.
  public init(stringLiteral value: String) {
    guard let key = RegisterKey(value) else { preconditionFailure("\(value) is no key of a register") }
    self = key
  }
}

extension RegisterKey: Codable {}

extension RegisterKey {
  /// The days of a key `today/DATE/…` or `days/FIRST..LAST/…`; `nil` for any other key.
  public var days: DayRange? {
    guard text.utf8.starts(with: "today/".utf8) || text.utf8.starts(with: "days/".utf8) else { return nil }
    let parts = segments
    guard parts.count >= 3, let days = DayRange(String(parts[1])) else { return nil }
    return (days.first == days.last) == (parts[0] == "today") ? days : nil
  }

  /// The last of these days, some days after which the register is forgotten.
  public var lastDay: FamilyDay? { days?.last }

  /// Returns whether this key is kept in preference to another one when a zone is full.
  ///
  /// Keys without a day come before those with one, and among the latter those with a later last
  /// day come first. Otherwise, fewer segments come first, then the order of the bytes. A key is
  /// therefore displaced only by keys that are forgotten no earlier than itself, which makes the
  /// result independent of the order of arrival.
  ///
  /// Spec: Protocol/10-household.md §2.
  public func isKept(before other: RegisterKey) -> Bool {
    switch (lastDay, other.lastDay) {
    case (nil, nil): break
    case (nil, .some): return true
    case (.some, nil): return false
    case (let own?, let others?) where own != others: return own > others
    case (.some, .some): break
    }
    let counts = (segments.count, other.segments.count)
    return counts.0 != counts.1 ? counts.0 < counts.1 : self < other
  }
}

/// One entry of the household's desired state: the smallest part that a person edits.
///
/// Of two edits of one register, the one with the later hybrid time wins, on every machine and in
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

  /// Returns whether this edit wins over another one of the same register.
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

  /// The value that may be shown, with `set` in place of the hash of a PIN.
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
