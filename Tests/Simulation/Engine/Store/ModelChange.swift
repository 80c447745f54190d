import LatchkeyModel

/// A stream that durably has new items.
package struct ModelChange: Hashable, Sendable {
  package var device: DeviceID
  package var streamClass: StreamClass
  package var epoch: UInt64
  package var last: UInt64
  /// The added items; empty if a link has to read them.
  package var items: [DeliveryItem] = []
}
