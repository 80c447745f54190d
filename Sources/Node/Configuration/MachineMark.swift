import Foundation
import LatchkeyCrypto
import LatchkeyModel

/// What tells this machine from others without naming it: its machine ID, hashed for Latchkey alone.
///
/// Made as `sd_id128_get_machine_app_specific` makes it: HMAC-SHA-256 with the machine ID as key over the application's ID,
/// cut to 16 bytes and marked as a random UUID. Nobody can get back to the machine ID, which is never written anywhere.
enum MachineMark {
  /// Latchkey's application ID: 16 bytes chosen once at random.
  static let application: [UInt8] = [
    0x39, 0x19, 0x1a, 0xab, 0x21, 0xe8, 0x4a, 0xaf, 0x83, 0xd2, 0x0b, 0xc0, 0x1d, 0xd6, 0x31, 0x37,
  ]

  /// The mark of this machine as 32 hexadecimal digits; nil where the machine has no ID, as in most containers.
  static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    var path = "/etc/machine-id"
    #if DEBUG
      // Tests pretend to be on another machine.
      path = environment["LATCHKEY_MACHINE_ID_FILE"] ?? path
    #endif
    guard let data = FileManager.default.contents(atPath: path), data.count <= 64 else { return nil }
    return make(machineID: String(decoding: data, as: UTF8.self))
  }

  /// The mark of the machine with this ID; nil when it is none (`uninitialized` before the first boot is over).
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
