/// The registers of a household that a machine holds, with the rule by which they are merged.
///
/// Spec: Protocol/10-household.md §2.
public struct RegisterMap: Hashable, Sendable {
  public struct Place: Hashable, Sendable, Comparable {
    public var zone: Zone
    /// The key within the zone.
    public var key: RegisterKey

    public init(_ zone: Zone, _ key: RegisterKey) { (self.zone, self.key) = (zone, key) }

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

  public init(_ registers: some Sequence<Register> = []) { for register in registers { merge(register) } }

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

  public func value(_ zone: Zone, _ key: RegisterKey) -> String? { self[zone, key]?.value }

  /// The registers in no particular order, which saves sorting them.
  public var unordered: some Sequence<Register> { held.values }

  /// The registers in the order of their places.
  public var registers: [Register] { held.sorted { $0.key < $1.key }.map(\.value) }

  /// Returns the registers of a zone in the order of their keys.
  public func registers(in zone: Zone) -> [Register] {
    held.values.filter { $0.zone == zone }.sorted { $0.key < $1.key }
  }
}

extension Sequence<Register> {
  /// The children whom a machine serves by the registers of its zone (10 §2).
  public var servedChildren: [ChildID] { compactMap(\.servedChild) }
}

/// The assignment of a child's machine, as far as a parent acts on it.
///
/// Spec: Protocol/10-household.md §2.
extension Sequence<Register> {
  /// Returns the registers of a machine's zone by which a parent decides what to send to the
  /// machine.
  ///
  /// These are the parent's own registers, without a child whom another parent has removed from the
  /// machine since. So a machine's report can stop a parent from sending it a child's registers,
  /// but cannot make a parent begin.
  public func narrowed(by told: some Sequence<Register>) -> [Register] {
    var taken: [RegisterMap.Place: Register] = [:]
    for register in told where register.key.servedChild != nil && register.servedChild == nil {
      taken[.init(register.zone, register.key)] = register
    }
    return map { register in
      guard register.servedChild != nil, let later = taken[.init(register.zone, register.key)],
        later.holds(over: register)
      else { return register }
      return later
    }
  }
}
