import Glibc
import LatchkeySystem

/// A terminal of an account, where a person of that account may be.
struct AccountTerminal: Hashable {
  /// Its path, such as `/dev/pts/3`.
  let path: String
  let device: UInt64

  /// Returns the terminal for the field `tty_nr` of `/proc/PID/stat`; `nil` for none, and for other
  /// kinds of device.
  init?(number: UInt64) {
    let major = number >> 8 & 0xFFF
    let minor = number & 0xFF | number >> 12 & 0xFFF00
    switch major {
    case 4 where (1...63).contains(minor): path = "/dev/tty\(minor)"
    case 136...143: path = "/dev/pts/\(minor + (major - 136) * 256)"
    default: return nil
    }
    device = major << 8 | minor & 0xFF | (minor & 0xFFF00) << 12
  }

  /// Writes to the terminal if it belongs to an account and accepts the text immediately; returns
  /// whether it did.
  ///
  /// It never waits. A terminal that is stopped, or whose reader has stopped reading, is skipped.
  /// Only the account's own device is opened, which the account cannot exchange for a file of
  /// another kind.
  func write(_ bytes: [UInt8], of account: UInt32) -> Bool {
    let descriptor = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, status.st_uid == account,
      UInt64(status.st_rdev) == device
    else { return false }
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }
}

extension AccountTerminal {
  /// Returns the terminals of an account's processes, at most `most`.
  static func all(of account: UInt32, most: Int = 32) -> [AccountTerminal] {
    var found: Set<AccountTerminal> = []
    for pid in ProcFile.processes() {
      guard let status = ProcFile.status("/proc/\(pid)"), status.st_uid == account else { continue }
      guard found.count < most, let line = ProcFile.read("/proc/\(pid)/stat", most: 1_024),
        let number = number(in: line), let terminal = AccountTerminal(number: number)
      else { continue }
      found.insert(terminal)
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Returns whether the account runs the helper that shows notices on its desktop.
  static func hasDesktopHelper(_ account: UInt32) -> Bool {
    ProcFile.processes().contains { pid in
      ProcFile.status("/proc/\(pid)")?.st_uid == account && isDesktopHelper(pid)
    }
  }

  /// Returns whether a process is `latchkey notify`.
  ///
  /// A child who gives a program that name only misses these lines.
  private static func isDesktopHelper(_ pid: Int32) -> Bool {
    let words = (ProcFile.read("/proc/\(pid)/cmdline", most: 256) ?? []).split(separator: 0)
    guard words.count > 1, words[1].elementsEqual("notify".utf8) else { return false }
    return words[0].elementsEqual("latchkey".utf8) || words[0].suffix(9).elementsEqual("/latchkey".utf8)
  }

  /// Returns field 7 of a line of `/proc/PID/stat`.
  static func number(in line: [UInt8]) -> UInt64? {
    guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 6)
    guard fields.count > 4, let number = Int32(String(decoding: fields[4], as: UTF8.self)) else { return nil }
    return UInt64(UInt32(bitPattern: number))
  }
}
