/// The part of the household's desired state that a register belongs to, which decides the machines
/// that hold it.
///
/// Spec: Protocol/10-household.md §2.
public enum Zone: Hashable, Sendable, Comparable {
  /// The registers of the whole family, which every machine holds.
  case family
  /// The registers of one child, which the machines of this child hold and those of other children
  /// do not.
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

  /// Creates a zone from its form and ID; returns `nil` if the form is unknown or the ID has
  /// another size.
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
}

extension Zone: CustomStringConvertible {
  /// The zone for a log: `family`, `child/…` or `machine/…`.
  public var description: String {
    switch self {
    case .family: "family"
    case .child(let id): "child/\(id)"
    case .machine(let id): "machine/\(id)"
    }
  }
}
