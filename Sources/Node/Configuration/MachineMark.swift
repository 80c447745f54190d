import Foundation
import LatchkeyModel
import LatchkeyProtocol

/// An identifier of this machine that does not reveal its machine ID: a hash for Latchkey only.
///
/// It is computed like the result of `sd_id128_get_machine_app_specific`: HMAC-SHA-256 with the
/// machine ID as key over the application's ID, truncated to 16 bytes and marked as a random UUID.
/// The machine ID cannot be derived from it, and is never stored.
enum MachineMark {
  /// Latchkey's application ID: 16 bytes that were chosen once at random.
  static let application: [UInt8] = [
    0x39, 0x19, 0x1a, 0xab, 0x21, 0xe8, 0x4a, 0xaf, 0x83, 0xd2, 0x0b, 0xc0, 0x1d, 0xd6, 0x31, 0x37,
  ]

  /// Returns the mark of this machine as 32 hexadecimal digits; `nil` if the machine has no ID, as
  /// in most containers.
  static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    var path = "/etc/machine-id"
    #if DEBUG
      // Tests can simulate another machine.
      path = environment["LATCHKEY_MACHINE_ID_FILE"] ?? path
    #endif
    guard let data = FileManager.default.contents(atPath: path), data.count <= 64 else { return nil }
    return make(machineID: String(decoding: data, as: UTF8.self))
  }

  /// Returns the mark of the machine with an ID; `nil` if the ID is invalid, such as
  /// `uninitialized` during the first boot.
  static func make(machineID text: String) -> String? {
    let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard digits.utf8.count == 32, let id = Hexadecimal.decode(digits), id.contains(where: { $0 != 0 }) else {
      return nil
    }
    var mark = Array(HMACSHA256.authenticate(key: id, message: application).prefix(16))
    mark[6] = mark[6] & 0x0F | 0x40
    mark[8] = mark[8] & 0x3F | 0x80
    return Hexadecimal.encode(mark)
  }
}
