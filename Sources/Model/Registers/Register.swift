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
  /// The value as text of at most 20,480 bytes, in the form that the key defines; `nil` if the
  /// register was deleted.
  public var value: String?
  /// The time of the edit and its author.
  public var modified: HybridTimestamp

  public init(_ zone: Zone, _ key: RegisterKey, _ value: String?, modified: HybridTimestamp) {
    self.zone = zone
    self.key = key
    self.value = value
    self.modified = modified
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
}

extension Register {
  /// The child whose machine a machine is, according to this register of the machine's zone; `nil`
  /// for any other register.
  ///
  /// Spec: Protocol/10-household.md §2.
  public var servedChild: ChildID? {
    guard case .machine = zone, value == "yes" else { return nil }
    return key.servedChild
  }
}

extension RegisterKey {
  /// The child that a key `child/ID` names; `nil` for any other key.
  public var servedChild: ChildID? {
    let segments = segments
    guard segments.count == 2, segments[0] == "child" else { return nil }
    return ChildID(segments[1])
  }
}

/// The registers of a household that a machine holds, with the rule by which they are merged.
///
/// Spec: Protocol/10-household.md §2.
public struct RegisterMap: Hashable, Sendable {
  /// The place of a register.
  public struct Place: Hashable, Sendable, Comparable {
    public var zone: Zone
    /// The key within the zone.
    public var key: RegisterKey

    public init(_ zone: Zone, _ key: RegisterKey) {
      self.zone = zone
      self.key = key
    }

    /// Returns whether `left` sorts before `right`: by zone, then by key.
    public static func < (left: Place, right: Place) -> Bool {
      left.zone == right.zone ? left.key < right.key : left.zone < right.zone
    }
  }

  /// The largest number of registers in a zone, deleted ones included.
  public static let capacity = 4_096

  /// The number of days for which the register of a day is kept after it.
  public static let daysKept = 14

  /// The earliest day whose registers are kept.
  public private(set) var horizon: FamilyDay = .first

  private var held: [Place: Register] = [:]
  private var counts: [Zone: Int] = [:]

  /// Creates a map of registers, which are merged.
  public init(_ registers: some Sequence<Register> = []) {
    for register in registers { merge(register) }
  }

  /// Takes over an edit unless a later one of the same register is present.
  ///
  /// A zone that is full keeps the registers whose keys are kept first
  /// (`RegisterKey.isKept(before:)`), so that the order of arrival does not matter. The register of
  /// a day before `horizon` is not taken.
  ///
  /// - Returns: Whether the map has changed.
  @discardableResult public mutating func merge(_ register: Register) -> Bool {
    if let day = register.key.lastDay, day < horizon { return false }
    let place = Place(register.zone, register.key)
    if let present = held[place] {
      guard register.holds(over: present) else { return false }
      held[place] = register
      return true
    }
    if let count = counts[register.zone], count >= Self.capacity {
      let keys = held.keys.lazy.filter { $0.zone == register.zone }
      guard let last = keys.max(by: { $0.key.isKept(before: $1.key) }), register.key.isKept(before: last.key) else {
        return false
      }
      held[last] = nil
    } else {
      counts[register.zone, default: 0] += 1
    }
    held[place] = register
    return true
  }

  /// Takes over the edits of another map, and its horizon.
  public mutating func merge(_ other: RegisterMap) {
    forget(before: other.horizon)
    for register in other.held.values { merge(register) }
  }

  /// Forgets the registers of days before a day, for good.
  ///
  /// A machine calls this with the family's day that it has reached less `daysKept`.
  public mutating func forget(before day: FamilyDay) {
    guard day > horizon else { return }
    horizon = day
    held = held.filter { place, _ in place.key.lastDay.map { $0 >= day } ?? true }
    counts = held.keys.reduce(into: [:]) { $0[$1.zone, default: 0] += 1 }
  }

  /// The register at a place, also if it was deleted; `nil` if there has been no edit of it.
  public subscript(zone: Zone, key: RegisterKey) -> Register? { held[Place(zone, key)] }

  /// Returns the value at a place; `nil` if none is set.
  public func value(_ zone: Zone, _ key: RegisterKey) -> String? { self[zone, key]?.value }

  /// The registers in no order, without the cost of one.
  public var unordered: some Sequence<Register> { held.values }

  /// The registers in the order of their places.
  public var registers: [Register] { held.sorted { $0.key < $1.key }.map(\.value) }

  /// Returns the registers of a zone in the order of their keys.
  public func registers(in zone: Zone) -> [Register] {
    held.values.filter { $0.zone == zone }.sorted { $0.key < $1.key }
  }
}

extension Sequence<Register> {
  /// The children whose machine it is, according to the registers of a machine's zone.
  ///
  /// Spec: Protocol/10-household.md §2.
  public var servedChildren: [ChildID] {
    compactMap(\.servedChild)
  }
}
