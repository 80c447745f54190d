/// A parent's machine that a child's machine is or was paired with, as the child's machine reports
/// it to each of its parents.
///
/// Spec: Protocol/06-messages.md §10.
public struct PairedParent: Hashable, Sendable, Codable {
  /// The ID of the parent's machine.
  public var deviceID: DeviceID
  /// The name of the parent's machine.
  public var name: DeviceName
  /// The time of pairing in Unix milliseconds by the child's wall clock; for people only.
  public var pairedAt: Int64
  /// When the pairing ended, by the same clock; `nil` while it lasts.
  public var leftAt: Int64?

  public init(deviceID: DeviceID, name: DeviceName, pairedAt: Int64, leftAt: Int64? = nil) {
    self.deviceID = deviceID
    self.name = name
    self.pairedAt = pairedAt
    self.leftAt = leftAt
  }
}

extension PairedParent: InventoryEntry {
  package static let inventory = InventoryKind("parents", most: Limits.toldParents)

  package var fault: String? {
    HybridTimestamp.walls.contains(pairedAt) ? nil : "The pairing is at a time that no calendar has."
  }

  package var lines: [String] {
    [Hexadecimal.encode(deviceID.bytes), name.text, String(pairedAt), leftAt.map { String($0) } ?? ""]
  }

  package init?(lines: [String]) {
    guard lines.count == 4, let bytes = Hexadecimal.decode(lines[0]), let device = DeviceID(bytes: bytes),
      let pairedAt = Int64(lines[2])
    else { return nil }
    self.init(deviceID: device, name: DeviceName(sanitising: lines[1]), pairedAt: pairedAt, leftAt: Int64(lines[3]))
  }
}

/// Another parent of a child's machine, as a parent's node shows it.
public struct OtherParent: Hashable, Sendable, Codable {
  /// The parent's machine.
  public var parent: PairedParent
  /// The time of the first report of it in Unix milliseconds by this machine's wall clock.
  public var toldAt: Int64
  /// A Boolean value that indicates whether this machine first heard of it less than a day of
  /// running time ago.
  public var isNews: Bool

  public init(parent: PairedParent, toldAt: Int64, isNews: Bool) {
    self.parent = parent
    self.toldAt = toldAt
    self.isNews = isNews
  }
}
