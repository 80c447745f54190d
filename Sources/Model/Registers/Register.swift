/// One entry of the household's desired state: what a person edits as one.
///
/// Of two edits of one register the one with the later hybrid time holds, on every machine and in whatever order they
/// arrive. Deleting is an edit: the register stays, without a value.
///
/// Spec: Protocol/10-household.md §2.
public struct Register: Hashable, Sendable {
  /// The largest number of bytes of a value.
  public static let valueBytes = 20_480

  /// The zone, which decides the machines that hold the register.
  public var zone: Zone
  /// The key.
  public var key: RegisterKey
  /// The value as text of at most 20,480 bytes, in the form that the key defines; `nil` if the register was deleted.
  public var value: String?
  /// The time of the edit and its author.
  public var modified: HybridTimestamp

  /// Creates a register.
  public init(_ zone: Zone, _ key: RegisterKey, _ value: String?, modified: HybridTimestamp) {
    self.zone = zone
    self.key = key
    self.value = value
    self.modified = modified
  }

  /// Returns whether this edit holds although another one of the same register is present.
  ///
  /// Equal times are the same edit. A value breaks a tie that a faulty author has made, so that all machines agree.
  public func holds(over other: Register) -> Bool {
    if modified != other.modified { return modified > other.modified }
    guard let value, let present = other.value else { return value != nil && other.value == nil }
    return present.utf8.lexicographicallyPrecedes(value.utf8)
  }
}

/// The registers of a household that a machine holds, with the rule by which they are merged.
///
/// Spec: Protocol/10-household.md §2.
public struct RegisterMap: Hashable, Sendable {
  /// The place of a register.
  public struct Place: Hashable, Sendable, Comparable {
    /// The zone.
    public var zone: Zone
    /// The key within the zone.
    public var key: RegisterKey

    /// Creates a place.
    public init(_ zone: Zone, _ key: RegisterKey) {
      self.zone = zone
      self.key = key
    }

    /// Returns whether `left` sorts before `right`: by zone, then by key.
    public static func < (left: Place, right: Place) -> Bool {
      left.zone == right.zone ? left.key < right.key : left.zone < right.zone
    }
  }

  private var held: [Place: Register] = [:]

  /// Creates a map of registers, which are merged.
  public init(_ registers: some Sequence<Register> = []) {
    for register in registers { merge(register) }
  }

  /// Takes over an edit unless a later one of the same register is present.
  ///
  /// - Returns: Whether the map has changed.
  @discardableResult public mutating func merge(_ register: Register) -> Bool {
    let place = Place(register.zone, register.key)
    if let present = held[place], !register.holds(over: present) { return false }
    held[place] = register
    return true
  }

  /// The register at a place, also if it was deleted; `nil` if there has been no edit of it.
  public subscript(zone: Zone, key: RegisterKey) -> Register? { held[Place(zone, key)] }

  /// Returns the value at a place; `nil` if none is set.
  public func value(_ zone: Zone, _ key: RegisterKey) -> String? { self[zone, key]?.value }

  /// The registers in the order of their places.
  public var registers: [Register] { held.sorted { $0.key < $1.key }.map(\.value) }

  /// Returns the registers of a zone in the order of their keys.
  public func registers(in zone: Zone) -> [Register] {
    held.values.filter { $0.zone == zone }.sorted { $0.key < $1.key }
  }
}
