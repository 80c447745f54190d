import Glibc

/// What lets an account of a child past its machine's rules.
///
/// Spec: Protocol/10-household.md §6.
public enum AccountRisks {
  /// The groups whose members can become root, or read and write what belongs to others.
  static let privilegedGroups: Set<String> = [
    "root", "sudo", "wheel", "admin", "docker", "podman", "lxd", "incus", "incus-admin", "disk", "input", "libvirt",
    "shadow",
    "kmem", "systemd-journal-remote", "_latchkey",
  ]
  /// The most groups of an account that are looked at.
  private static let mostGroups: Int32 = 1_024

  /// Returns the privileged groups of an account, in the order of their names.
  public static func privilegedGroups(of account: UInt32) -> [String] {
    guard let entry = getpwuid(account)?.pointee, let name = entry.pw_name else { return [] }
    var count = mostGroups
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return [] }
    let names = groups.prefix(Int(count)).compactMap { group -> String? in
      getgrgid(group)?.pointee.gr_name.map { String(cString: $0) }
    }
    return Set(names).intersection(privilegedGroups).sorted()
  }

  /// Returns whether the programs of an account go on after it has logged out; `folder` is where systemd notes that.
  public static func isLingering(_ account: UInt32, folder: String = "/var/lib/systemd/linger") -> Bool {
    guard let name = getpwuid(account)?.pointee.pw_name else { return false }
    return access("\(folder)/\(String(cString: name))", F_OK) == 0
  }
}
