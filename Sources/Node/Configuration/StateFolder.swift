import Foundation

/// The folder that holds everything a node keeps: keys, database, lock, control socket. Readable by its owner alone.
public struct StateFolder: Sendable {
  public let path: String

  /// Names the folder at `path`; nothing is touched yet.
  ///
  /// A slash or `/.` at the end of a path would have a symbolic link followed, and is left out.
  public init(path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    self.path = path
  }

  /// Choose the folder: what was given, else `LATCHKEY_STATE_DIR`, else `$XDG_STATE_HOME/latchkey`, else
  /// `~/.local/state/latchkey`.
  public static func resolve(explicit: String?, environment: [String: String]) -> StateFolder {
    if let explicit, !explicit.isEmpty { return StateFolder(path: absolute(explicit)) }
    if let path = environment["LATCHKEY_STATE_DIR"], !path.isEmpty { return StateFolder(path: absolute(path)) }
    // The XDG base directory specification takes absolute paths only.
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return StateFolder(path: base + "/latchkey") }
    // A service that is started without a session's environment has the home of its account.
    var home = environment["HOME"] ?? ""
    if home.isEmpty, let account = getpwuid(geteuid()) { home = String(cString: account.pointee.pw_dir) }
    return StateFolder(path: home + "/.local/state/latchkey")
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

  /// Makes the folder, 0700, with those above it; one that is there stays as it is.
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
