/// A parent's machine that a child's machine is paired with, as the child tells each of its parents.
///
/// Spec: Protocol/06-messages.md §10.
public struct PairedParent: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  /// Unix milliseconds by the child's wall clock, for people.
  public var pairedAt: Int64

  public init(deviceID: DeviceID, name: DeviceName, pairedAt: Int64) {
    self.deviceID = deviceID
    self.name = name
    self.pairedAt = pairedAt
  }
}

/// Another parent of a child's machine, as a parent's node shows it.
public struct OtherParent: Hashable, Sendable, Codable {
  public var parent: PairedParent
  /// Unix milliseconds by this machine's wall clock: when the child's machine told of it first.
  public var toldAt: Int64
  /// A Boolean value that indicates whether this machine has known of it for less than a day of its running.
  public var isNews: Bool

  public init(parent: PairedParent, toldAt: Int64, isNews: Bool) {
    self.parent = parent
    self.toldAt = toldAt
    self.isNews = isNews
  }
}
