import Foundation
import Glibc
import LatchkeyStore

/// The folder that holds everything a node keeps: keys, database, lock, control socket. Readable by its owner alone.
public struct StateFolder: Sendable {
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// Choose the folder: what was given, else `LATCHKEY_STATE_DIR`, else `$XDG_STATE_HOME/latchkey`, else
  /// `~/.local/state/latchkey`.
  public static func resolve(explicit: String?, environment: [String: String]) -> StateFolder {
    if let explicit, !explicit.isEmpty { return StateFolder(path: absolute(explicit)) }
    if let path = environment["LATCHKEY_STATE_DIR"], !path.isEmpty { return StateFolder(path: absolute(path)) }
    // The XDG base directory specification takes absolute paths only.
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return StateFolder(path: base + "/latchkey") }
    return StateFolder(path: (environment["HOME"] ?? "/") + "/.local/state/latchkey")
  }

  public var keyFile: String { path + "/identity.key" }
  public var database: String { path + "/latchkey.sqlite" }
  public var profile: String { path + "/node.json" }
  public var lock: String { path + "/lock" }
  public var controlSocket: String { path + "/control.sock" }

  /// Whether a node was made here; its profile is written last.
  var hasProfile: Bool { FileManager.default.fileExists(atPath: profile) }

  /// The last damaged database that was set aside here and that nobody has removed; nil for none.
  var databaseSetAside: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasPrefix("latchkey.sqlite.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
      .max()
      .map { path + "/" + $0 }
  }

  /// Make the folder, 0700, with those above it.
  func create() throws(NodeStartupError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw NodeStartupError(
        "The state folder \(path) cannot be made (\(Self.reason(error))): choose another one with --state-dir.",
        exitStatus: 73)
    }
  }

  /// Check that the folder is there and ours to use.
  func check() throws(NodeStartupError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT {
        throw NodeStartupError(
          "There is no state folder \(path): make one with `latchkey init --role parent|child --name NAME`.",
          exitStatus: 66)
      }
      throw NodeStartupError(
        "The state folder \(path) cannot be read (\(String(cString: strerror(errno)))): check its rights.",
        exitStatus: 77)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw NodeStartupError("\(path) is not a folder: choose another one with --state-dir.", exitStatus: 73)
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      if errno == EROFS { throw NodeStartupError(StoreError.readOnly) }
      throw NodeStartupError(
        "The state folder \(path) cannot be read or written (\(String(cString: strerror(errno)))): check its owner and rights.",
        exitStatus: 77)
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
