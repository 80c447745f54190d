import LatchkeyModel
import LatchkeyTestSupport

/// Values that tests share.
enum Sample {
  /// A device.
  static var device: DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: 3, count: 20)) else { preconditionFailure("an ID of 20 bytes") }
    return id
  }
}
