import Glibc

/// Other programs that limit the use of this machine.
///
/// Spec: Protocol/10-household.md §6.
public enum OtherEnforcers {
  /// Their names, with a file that is there where they are installed.
  static let known = [
    ("timekpr", "/usr/bin/timekprd"), ("malcontent", "/usr/libexec/malcontent-timerd"),
    ("ctparental", "/usr/bin/CTparental"),
  ]

  /// Returns the names of those that are installed; `root` is the folder that counts as `/`.
  public static func installed(root: String = "") -> [String] {
    known.filter { access(root + $0.1, F_OK) == 0 }.map(\.0)
  }
}
