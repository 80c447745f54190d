import Glibc

/// The ways in which a child's account can get around its machine's rules (Protocol/10-household.md
/// §6).
public enum AccountRisks {
  /// The groups whose members can become root, or read and write other users' data.
  static let privilegedGroups: Set<String> = [
    "root", "sudo", "wheel", "admin", "docker", "podman", "lxd", "incus", "incus-admin", "disk", "input", "libvirt",
    "shadow", "kmem", "systemd-journal-remote", "_latchkey",
  ]
  private static let mostGroups: Int32 = 1_024

  public static func privilegedGroups(of account: UInt32) -> [String] {
    guard let user = user(account) else { return [] }
    var count = mostGroups
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard getgrouplist(user.name, user.group, &groups, &count) >= 0 else { return [] }
    return Set(groups.prefix(Int(count)).compactMap(name(ofGroup:))).intersection(privilegedGroups).sorted()
  }

  /// Returns whether an account's programs continue after it has logged out.
  ///
  /// `folder` is where systemd records that.
  public static func isLingering(_ account: UInt32, folder: String = "/var/lib/systemd/linger") -> Bool {
    guard let name = user(account)?.name else { return false }
    return access("\(folder)/\(name)", F_OK) == 0
  }

  // MARK: The system's tables

  private static func user(_ account: UInt32) -> (name: String, group: gid_t)? {
    AccountTable.entry(
      passwd(), read: { getpwuid_r(account, $0, $1, $2, $3) }, take: { (String(cString: $0.pw_name), $0.pw_gid) })
  }

  private static func name(ofGroup group: gid_t) -> String? {
    AccountTable.entry(
      Glibc.group(), read: { getgrgid_r(group, $0, $1, $2, $3) }, take: { String(cString: $0.gr_name) })
  }
}

/// Other programs that limit the use of this machine (Protocol/10-household.md §6).
public enum OtherEnforcers {
  /// Their names, each with a file that exists if the program limits the use of a machine.
  ///
  /// Desktops install malcontent's other programs by default. Its PAM module limits time, and in
  /// newer versions its service does.
  static let known = [
    ("timekpr", "/usr/bin/timekprd"), ("malcontent", "/usr/share/pam-configs/malcontent"),
    ("malcontent", "/usr/libexec/malcontent-timerd"), ("ctparental", "/usr/bin/CTparental"),
  ]

  /// Returns the names of those that are installed; `root` is the folder that stands for `/`.
  public static func installed(root: String = "") -> [String] {
    var names: [String] = []
    for (name, file) in known where !names.contains(name) && access(root + file, F_OK) == 0 { names.append(name) }
    return names
  }
}

/// The line in PAM's configuration that has PAM ask the agent before a session begins
/// (Protocol/13-agent.md §13).
public enum LoginGateLine {
  /// The most bytes that are read of PAM's file.
  private static let most = 65_536

  /// Returns whether PAM's file for accounts contains the line, and not as a comment.
  public static func isThere(_ path: String = "/etc/pam.d/common-account") -> Bool {
    let gate = Array("/latchkey-agent gate".utf8)
    return (ProcFile.read(path, most: most) ?? []).split(separator: UInt8(ascii: "\n")).contains { line in
      let words = line.prefix { $0 != UInt8(ascii: "#") }
      return words.indices.contains { words[$0...].starts(with: gate) }
    }
  }
}
