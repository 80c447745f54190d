import Foundation

/// The ID of this start of the machine.
///
/// Process numbers and times of CLOCK_BOOTTIME are valid within one boot only.
public enum BootID {
  /// Returns the kernel's ID of this boot, a UUID in lower case; `nil` if /proc does not show it.
  public static func current() -> String? {
    guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else { return nil }
    let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return id.isEmpty ? nil : id
  }
}
