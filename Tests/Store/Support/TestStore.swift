import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport

/// A store in a folder that is removed with it.
final class TestStore {
  let folder: URL
  let own: DeviceID
  private(set) var store: Store

  var path: String { folder.appendingPathComponent("latchkey.sqlite").path }

  init(own: DeviceID = Fixed.device(1)) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.own = own
    store = try Store(
      path: folder.appendingPathComponent("latchkey.sqlite").path, own: own, coding: MessageBodyCoding(),
      keys: TestKeys())
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Closes the store and opens it again, like a restart.
  func reopen() throws {
    store.close()
    store = try Store(path: path, own: own, coding: MessageBodyCoding(), keys: TestKeys())
  }

  /// Pairs completely with a device.
  func pair(_ device: DeviceID, role: DeviceRole, name: String = "peer", key: UInt8 = 7) async throws {
    try await store.savePending(
      RegisteredDevice(
        deviceID: device, name: DeviceName(sanitising: name), role: role,
        identityKey: Hexadecimal.encode(device.bytes + [UInt8](repeating: 0, count: 12)),
        linkKey: Hexadecimal.encode([UInt8](repeating: 1, count: 12) + device.bytes), pairedAt: 1),
      pairwiseKey: [UInt8](repeating: key, count: 32), invitation: nil, bootID: "boot",
      now: BootInstant(milliseconds: 5))
    _ = try await store.promote(device, at: 1)
  }

  /// Issues a message command to a device.
  func send(_ text: String, to device: DeviceID, number: UInt8) async throws -> CommandID {
    let id = CommandID(milliseconds: 1_000 + Int64(number), random: [UInt8](repeating: number, count: 10))
    _ = try await store.issue(id, to: device, at: 1_000) { _, _ in .message(text) }
    return id
  }

  /// Loads all pending items of a device in a class.
  func waiting(_ device: DeviceID, _ streamClass: StreamClass) async throws -> [DeliveryItem] {
    guard let position = try await store.outboxPositions(device)[streamClass] else { return [] }
    return try await store.load(
      device, streamClass, epoch: position.epoch, from: position.storedThrough + 1, items: 10_000, bytes: 1 << 30)
  }
}
