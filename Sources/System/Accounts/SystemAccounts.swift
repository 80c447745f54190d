import CProcess
import Glibc
import LatchkeyModel
import Synchronization

/// The accounts of people on this machine (Protocol/10-household.md §3).
public enum SystemAccounts {
  /// An entry of the system's table of users.
  public struct Entry: Hashable, Sendable {
    public var uid: UInt32
    public var name: String
    /// The comment field; the part before the first comma is the person's name.
    public var comment: String
    /// The path of the log-in shell; empty for the system's default.
    public var shell: String
    public var home: String

    public init(uid: UInt32, name: String, comment: String, shell: String, home: String = "") {
      (self.uid, self.name, self.comment, self.shell, self.home) = (uid, name, comment, shell, home)
    }
  }

  /// The lowest number that Linux distributions give to people.
  public static let firstPerson: UInt32 = 1_000
  /// The higher numbers that belong to nobody: `nobody`, and no number in 16 and in 32 bits.
  private static let noPerson: Set<UInt32> = [65_534, 65_535, .max - 1, .max]

  /// Returns the accounts of people, at most 64, in ascending order of their numbers.
  ///
  /// An account belongs to a person in any of these cases:
  ///
  /// - Its number is at least 1,000 and not in `noPerson`, and it has a log-in shell and a home.
  ///   Directory services and systemd-homed give people numbers above 60,000. The dynamic accounts
  ///   of services have such numbers too, but neither a log-in shell nor a home.
  /// - It runs this node, and is neither root's nor a service's. The name of a service's account
  ///   begins with an underscore.
  /// - A parent has named it, and it is not root's.
  ///
  /// `ownUser` is the user ID of this process.
  public static func people(among entries: [Entry], ownUser: UInt32, named: Set<String> = []) -> [Account] {
    var seen: Set<UInt32> = []
    let accounts = entries.compactMap { entry -> Account? in
      let isPerson =
        entry.uid >= firstPerson && !noPerson.contains(entry.uid) && canLogIn(entry.shell) && hasHome(entry)
      let isOwn = entry.uid == ownUser && ownUser != 0 && !entry.name.hasPrefix("_")
      let isNamed = named.contains(entry.name) && entry.uid != 0 && !noPerson.contains(entry.uid)
      guard isPerson || isOwn || isNamed, seen.insert(entry.uid).inserted else { return nil }
      let fullName = entry.comment.prefix { $0 != "," }
      let account = Account(uid: entry.uid, name: entry.name, fullName: TextRule.fullName.cleaned(String(fullName)))
      return account.fault == nil ? account : nil
    }
    return Array(accounts.sorted().prefix(Account.most))
  }

  /// Returns the home folders of people's accounts.
  public static func homes(among entries: [Entry], ownUser: UInt32) -> [String] {
    let uids = Set(people(among: entries, ownUser: ownUser).map(\.uid))
    return entries.filter { uids.contains($0.uid) && hasHome($0) }.map(\.home)
  }

  private static func hasHome(_ entry: Entry) -> Bool { entry.home.hasPrefix("/") && entry.home != "/" }

  private static func canLogIn(_ shell: String) -> Bool {
    let program = shell.split(separator: "/").last ?? ""
    return program != "nologin" && program != "false"
  }

  /// Returns the entries that this machine lists, from files and from the name service.
  ///
  /// This function can be called from any thread.
  public static func entries() -> [Entry] {
    reading.withLock { _ in
      setpwent()
      defer { endpwent() }
      var entries: [Entry] = []
      while entries.count < most, let entry = getpwent()?.pointee { entries.append(Entry(entry)) }
      return entries
    }
  }

  /// Returns the entry of the account with a log-in name; `nil` if there is none.
  ///
  /// This also finds accounts in sources that do not list their accounts.
  public static func entry(named name: String) -> Entry? {
    AccountTable.entry(passwd(), read: { getpwnam_r(name, $0, $1, $2, $3) }, take: Entry.init(_:))
  }

  /// Returns the entry of the account with a number; `nil` if there is none.
  ///
  /// This also finds accounts in sources that do not list their accounts.
  public static func entry(numbered uid: UInt32) -> Entry? {
    AccountTable.entry(passwd(), read: { getpwuid_r(uid, $0, $1, $2, $3) }, take: Entry.init(_:))
  }

  /// Returns entries, and further ones that the machine knows by name or number but does not list.
  public static func entries(_ listed: [Entry], besides names: [String], _ numbers: Set<UInt32>) -> [Entry] {
    let known = Set(listed.map(\.uid))
    let wanted = Set(names).subtracting(listed.map(\.name)).sorted()
    return listed + wanted.compactMap { entry(named: $0) }.filter { !known.contains($0.uid) }
      + numbers.subtracting(known).sorted().compactMap { entry(numbered: $0) }
  }

  /// Returns the listed entries, and unlisted ones with a name in `names`, a session or a home.
  public static func known(besides names: [String] = []) -> [Entry] {
    entries(entries(), besides: names, inSession().union(ownersOfHomes()))
  }

  /// Returns the numbers of the accounts with a session of a person or of a background task.
  ///
  /// logind keeps the sessions in `folder`. Without logind, the result is empty.
  public static func inSession(folder: String = "/run/systemd/sessions") -> Set<UInt32> {
    // The sessions of log-in screens and of accounts' service managers are not those of a person.
    Set(sessions(in: folder).filter { $0.isUsers || $0.kind == "background" }.map(\.uid))
  }

  /// Returns the IDs of an account's sessions that have not ended, without background tasks.
  ///
  /// logind keeps the sessions in `folder`. Without logind, the result is empty.
  public static func logIns(of uid: UInt32, folder: String = "/run/systemd/sessions") -> Set<String> {
    Set(sessions(in: folder).filter { $0.uid == uid && $0.isUsers && !$0.isClosing }.map(\.id))
  }

  /// A session as logind keeps it.
  private struct Session {
    var id: String
    var uid: UInt32
    var kind: Substring
    var isClosing: Bool

    var isUsers: Bool { kind.hasPrefix("user") && kind != "user-early" }
  }

  private static func sessions(in folder: String) -> [Session] {
    BoundedFile.names(in: folder, most: 1_024).compactMap { name in
      guard let bytes = BoundedFile.bytes("\(folder)/\(name)", most: 16_384) else { return nil }
      var values: [Substring: Substring] = [:]
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { values[parts[0]] = parts[1] }
      }
      guard let uid = values["UID"].flatMap({ UInt32($0) }) else { return nil }
      return Session(id: name, uid: uid, kind: values["CLASS"] ?? "user", isClosing: values["STATE"] == "closing")
    }
  }

  /// Returns the numbers of people who own a folder among the homes, at most 1,024.
  public static func ownersOfHomes(in folder: String = "/home") -> Set<UInt32> {
    Set(
      BoundedFile.names(in: folder, most: 1_024).compactMap { name in
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0, status.st_uid >= firstPerson else { return nil }
        return status.st_uid
      })
  }

  /// Returns the identity that distinguishes an account from an earlier one with the same number.
  public static func identity(of entry: Entry) -> AccountIdentity {
    var (inode, seconds, nanoseconds, owner): (UInt64, Int64, UInt32, uid_t) = (0, 0, 0, 0)
    let isThere = latchkey_folder_identity(entry.home, &inode, &seconds, &nanoseconds, &owner) == 0
    let mark = isThere && owner == entry.uid ? "\(inode) \(seconds).\(nanoseconds)" : ""
    return AccountIdentity(uid: entry.uid, name: entry.name, home: hasHome(entry) ? entry.home : "", homeMark: mark)
  }

  /// The lock that excludes a second reader: the C library gives each entry to one of them.
  private static let reading = Mutex(())

  /// The most entries that are read, since the tables of a large organization may be endless.
  private static let most = 10_000

  /// Returns a mark that changes when an account is added or changed in the machine's own file.
  public static func mark() -> Int64 { BoundedFile.changed("/etc/passwd") }
}

extension SystemAccounts.Entry {
  fileprivate init(_ entry: passwd) {
    func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    self.init(
      uid: entry.pw_uid, name: text(entry.pw_name), comment: text(entry.pw_gecos), shell: text(entry.pw_shell),
      home: text(entry.pw_dir))
  }
}

/// The lookup of single entries in the system's tables of users and groups.
enum AccountTable {
  /// Returns a part of an entry; `nil` if there is no such entry, or if it is larger than 1 MiB.
  ///
  /// The text is in memory of this call, since all threads share that of `getpwuid`.
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
