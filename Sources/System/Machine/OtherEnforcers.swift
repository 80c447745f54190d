import Glibc

/// Other programs that limit the use of this machine.
///
/// Spec: Protocol/10-household.md §6.
public enum OtherEnforcers {
  /// Their names, each with a file that exists if the program limits the use of a machine.
  ///
  /// Desktops install malcontent's other programs by default. Its PAM module limits time, and in
  /// newer versions its service does.
  static let known = [
    ("timekpr", "/usr/bin/timekprd"), ("malcontent", "/usr/share/pam-configs/malcontent"),
    ("malcontent", "/usr/libexec/malcontent-timerd"), ("ctparental", "/usr/bin/CTparental"),
  ]

  /// Returns the names of those that are installed.
  ///
  /// `root` is the folder that stands for `/`.
  public static func installed(root: String = "") -> [String] {
    var names: [String] = []
    for (name, file) in known where !names.contains(name) && access(root + file, F_OK) == 0 { names.append(name) }
    return names
  }
}
