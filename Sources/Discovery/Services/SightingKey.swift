/// Names one instance as seen on one interface.
struct SightingKey: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String

  /// The kernel's number of the interface.
  var interfaceIndex: UInt32
}
