import Foundation
import Glibc
import LatchkeyStore
import LatchkeySystem

/// The folder that holds all files of a node: keys, database, lock and control socket.
///
/// Only its owner may read it.
public struct StateFolder: Sendable {
  public let path: String

  /// Creates a value for a folder, of which nothing is read or written yet.
  ///
  /// A slash or `/.` at the end is removed, since a symbolic link would be followed with it.
  public init(path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    self.path = path
  }

  /// Returns the folder to use: the given one or, in this order, `LATCHKEY_STATE_DIR`,
  /// `$XDG_STATE_HOME/latchkey` or `~/.local/state/latchkey`.
  public static func resolve(explicit: String?, environment: [String: String]) -> StateFolder {
    if let explicit, !explicit.isEmpty { return StateFolder(path: absolute(explicit)) }
    if let path = environment["LATCHKEY_STATE_DIR"], !path.isEmpty { return StateFolder(path: absolute(path)) }
    // The XDG base directory specification permits absolute paths only.
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return StateFolder(path: base + "/latchkey") }
    // A service that is started without a session's environment uses the home folder of its
    // account.
    var home = environment["HOME"] ?? ""
    if home.isEmpty, let account = getpwuid(geteuid()) { home = String(cString: account.pointee.pw_dir) }
    return StateFolder(path: home + "/.local/state/latchkey")
  }

  public var keyFile: String { path + "/identity.key" }
  public var database: String { path + "/latchkey.sqlite" }
  public var profile: String { path + "/node.json" }
  public var lock: String { path + "/lock" }

  /// A Boolean value that indicates whether the folder holds a node, whose profile is written last.
  public var hasProfile: Bool { FileManager.default.fileExists(atPath: profile) }

  /// The path of the latest damaged database that was set aside in this folder and still exists;
  /// `nil` if there is none.
  var databaseSetAside: String? {
    let names = ProcFile.names(in: path, most: .max) ?? []
    return names.filter { $0.hasPrefix("latchkey.sqlite.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
      .max().map { path + "/" + $0 }
  }

  /// Creates the folder with mode 0700 and the folders above it, unless it exists.
  func create() throws(NodeStartupError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw NodeStartupError(
        "The state folder \(path) cannot be created (\(Self.reason(error))): choose another one with --state-dir.",
        exitStatus: 73)
    }
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError, underlying.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(underlying.code)))
    }
    return error.localizedDescription
  }
}

/// The access rights of a state folder and its files, which only their owner may use.
extension StateFolder {
  /// Checks that only this user has access to the folder and each of Latchkey's files in it; throws
  /// `NodeStartupError`, whose sentence names the path and the next step.
  func check() throws(NodeStartupError) {
    let descriptor = try open()
    defer { close(descriptor) }
    let status = try Self.status(of: descriptor, path)
    guard status.st_uid == geteuid() else {
      throw Self.refusal(
        "The state folder \(path) belongs to user \(status.st_uid): run latchkey as that user, or choose a folder of your own "
          + "with --state-dir.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Self.refusal(
        "Others may use the state folder \(path) (mode \(Self.octal(status))): run `chmod 700` on it, or choose another one "
          + "with --state-dir.")
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      if errno == EROFS { throw NodeStartupError(StoreError.readOnly) }
      throw NodeStartupError(
        "The state folder \(path) cannot be read or written (\(String(cString: strerror(errno)))): check its owner and rights.",
        exitStatus: 77)
    }
    for name in Self.names(in: path) where Self.isOurs(name) { try checkFile(name, in: descriptor) }
  }

  /// Removes the rights of others from an empty folder of this user's that they can only read.
  ///
  /// Returns a sentence that describes the change; `nil` if there was nothing to change.
  func tighten() throws(NodeStartupError) -> String? {
    let descriptor = try open()
    defer { close(descriptor) }
    let status = try Self.status(of: descriptor, path)
    guard status.st_uid == geteuid(), status.st_mode & 0o077 != 0, status.st_mode & 0o022 == 0,
      Self.names(in: path).isEmpty, fchmod(descriptor, 0o700) == 0
    else { return nil }
    return "The empty folder \(path) had mode \(Self.octal(status)), and now only its owner can use it (700)."
  }

  /// A folder above this one in which any user may rename and replace files; `nil` if there is
  /// none.
  package var exposedParent: String? {
    var parent = path
    while parent.count > 1 {
      parent = (parent as NSString).deletingLastPathComponent
      var status = stat()
      // In a sticky folder, such as /tmp, only its owner may rename a file.
      if stat(parent, &status) == 0, status.st_mode & 0o002 != 0, status.st_mode & 0o1000 == 0 { return parent }
    }
    return nil
  }

  /// A warning about a folder above this one, as a sentence; `nil` if there is none.
  var parentWarning: String? {
    exposedParent.map {
      "Any user of this machine may replace the state folder, since they may change \($0): run `chmod +t` on that, or move the "
        + "state folder elsewhere."
    }
  }

  /// Removes the files that a crash left behind while the key file was written.
  ///
  /// The caller holds the folder's lock.
  func removeLeftovers() {
    for name in Self.names(in: path) where name.hasPrefix(Self.leftover) { unlink(path + "/" + name) }
  }

  private static let leftover = ".identity.key."

  private static func isOurs(_ name: String) -> Bool {
    name.hasPrefix("latchkey.sqlite") || name.hasPrefix("identity.key") || name.hasPrefix("node.json")
      || name.hasPrefix(leftover) || name == "lock" || name == "control.sock"
  }

  private static func names(in path: String) -> [String] { (ProcFile.names(in: path, most: .max) ?? []).sorted() }

  private func checkFile(_ name: String, in folder: Int32) throws(NodeStartupError) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      // The file may disappear during the check, like the socket of a node that ends.
      if errno == ENOENT { return }
      throw Self.refusal(
        "\(path)/\(name) cannot be read (\(String(cString: strerror(errno)))): check its owner and rights.")
    }
    let file = "\(path)/\(name)"
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFSOCK where name == "control.sock": break
    case S_IFLNK:
      throw Self.refusal("\(file) is a symbolic link, which is not followed: put the file itself in its place.")
    default: throw Self.refusal("\(file) is not a plain file: move it away.")
    }
    guard status.st_uid == geteuid() else {
      throw Self.refusal(
        "\(file) belongs to user \(status.st_uid): run `sudo chown \(geteuid())` on it, or choose another folder with --state-dir."
      )
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Self.refusal("Others may use \(file) (mode \(Self.octal(status))): run `chmod 600` on it.")
    }
    // The key file has a second name for a moment while it is created.
    guard status.st_nlink == 1 || name.hasPrefix("identity.key") || name.hasPrefix(Self.leftover) else {
      throw Self.refusal(
        "\(file) has \(status.st_nlink) names, so that others may change it: put a copy of it in its place.")
    }
  }

  /// Opens the folder itself, without following a symbolic link.
  private func open() throws(NodeStartupError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 { return descriptor }
    let code = errno
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    switch code {
    case ENOENT:
      throw NodeStartupError(
        "There is no state folder \(path): create one with `latchkey init --role parent|child --name NAME`.",
        exitStatus: 66)
    case _ where isLink:
      throw Self.refusal(
        "The state folder \(path) is a symbolic link, which is not followed: name the folder itself with --state-dir.")
    case ENOTDIR:
      throw NodeStartupError("\(path) is not a folder: choose another one with --state-dir.", exitStatus: 73)
    default:
      throw Self.refusal(
        "The state folder \(path) cannot be read (\(String(cString: strerror(code)))): check its owner and rights.")
    }
  }

  private static func status(of descriptor: Int32, _ path: String) throws(NodeStartupError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw refusal("The state folder \(path) cannot be read (\(String(cString: strerror(errno)))): check its disk.")
    }
    return status
  }

  private static func octal(_ status: stat) -> String { String(status.st_mode & 0o7777, radix: 8) }

  private static func refusal(_ sentence: String) -> NodeStartupError { NodeStartupError(sentence, exitStatus: 77) }
}
