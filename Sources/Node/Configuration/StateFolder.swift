import Foundation
import LatchkeySystem

/// The folder that holds all files of a node: keys, database, lock and control socket.
///
/// Only its owner may read it.
public struct StateFolder: Sendable {
  public let path: String

  /// Creates a value for the folder at `path`.
  ///
  /// Nothing is read or written yet.
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

  /// A Boolean value that indicates whether the folder holds a node.
  ///
  /// Its profile is written last.
  public var hasProfile: Bool { FileManager.default.fileExists(atPath: profile) }

  /// The path of the latest damaged database that was set aside in this folder and still exists;
  /// `nil` if there is none.
  var databaseSetAside: String? {
    let names = ProcFile.names(in: path, most: .max) ?? []
    return names.filter { $0.hasPrefix("latchkey.sqlite.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
      .max()
      .map { path + "/" + $0 }
  }

  /// Creates the folder with mode 0700 and the folders above it.
  ///
  /// An existing folder is not changed.
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
