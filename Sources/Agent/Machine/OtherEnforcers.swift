import Glibc

/// Other programs that limit the use of this machine.
///
/// Spec: Protocol/10-household.md §6.
public enum OtherEnforcers {
  /// Their names, with files of which one is there where they are installed.
  static let known = [
    ("timekpr", ["/usr/bin/timekprd"]),
    (
      "malcontent",
      ["/usr/bin/malcontent-client", "/usr/share/pam-configs/malcontent", "/usr/libexec/malcontent-timerd"]
    ),
    ("ctparental", ["/usr/bin/CTparental"]),
  ]

  /// Returns the names of those that are installed; `root` is the folder that counts as `/`.
  public static func installed(root: String = "") -> [String] {
    known.filter { $0.1.contains { access(root + $0, F_OK) == 0 } }.map(\.0)
  }
}
