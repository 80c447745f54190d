import LatchkeyModel

/// A peer in the delivery tables.
struct OutboxAddress: Hashable, Sendable {
  var number: Int64
  var device: DeviceID
}
