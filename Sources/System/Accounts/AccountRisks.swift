import Glibc

/// The ways in which a child's account can get around its machine's rules.
///
/// Spec: Protocol/10-household.md §6.
public enum AccountRisks {
  /// The groups whose members can become root, or read and write other users' data.
  static let privilegedGroups: Set<String> = [
    "root", "sudo", "wheel", "admin", "docker", "podman", "lxd", "incus", "incus-admin", "disk", "input", "libvirt",
    "shadow",
    "kmem", "systemd-journal-remote", "_latchkey",
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

/// The lookup of single entries in the system's tables of users and groups.
enum AccountTable {
  /// Returns a part of an entry; `nil` if there is no such entry, or if it is larger than 1 MiB.
  ///
  /// The entry's text is in memory that belongs to this call, since all threads share the memory of
  /// `getpwuid`.
  static func entry<Entry, Part>(
    _ empty: Entry,
    read: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> CInt, take: (Entry) -> Part
  ) -> Part? {
    var entry = empty
    for size in [4_096, 65_536, 1_048_576] {
      var text = [CChar](repeating: 0, count: size)
      var found: UnsafeMutablePointer<Entry>?
      let (code, part) = text.withUnsafeMutableBufferPointer { text -> (CInt, Part?) in
        let code = read(&entry, text.baseAddress!, size, &found)
        return (code, code == 0 && found != nil ? take(entry) : nil)
      }
      if code != ERANGE { return part }
    }
    return nil
  }
}
