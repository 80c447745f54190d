import LatchkeyModel

/// A peer as the delivery tables name it.
struct OutboxAddress: Hashable, Sendable {
  var number: Int64
  var device: DeviceID
}
