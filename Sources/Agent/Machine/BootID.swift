import Foundation

/// Which start of this machine it is: a process number and a time of CLOCK_BOOTTIME mean something within one only.
public enum BootID {
  /// Read the kernel's ID of this boot, a UUID in lower case; nil where /proc does not show it.
  public static func current() -> String? {
    guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else { return nil }
    let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return id.isEmpty ? nil : id
  }
}
