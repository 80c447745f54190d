import LatchkeyModel
import LatchkeyStore

extension Store {
  /// Loads items at an arbitrary time.
  func load(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int, bytes: Int
  ) async throws -> [DeliveryItem] {
    try await load(device, streamClass, epoch: epoch, from: from, items: items, bytes: bytes, at: 0)
  }
}
