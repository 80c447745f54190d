import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem

public enum NodeFolder {
  /// Creates keys, database and profile, and returns the device ID.
  ///
  /// Changes nothing if the folder already holds a node.
  ///
  /// `tell` receives a sentence for the person, such as that the folder's mode was changed. Throws
  /// `NodeStartupError` for an invalid name, or a folder that is in use or cannot be written.
  ///
  /// The profile keeps `accounts`, which a child's machine tells its parents: nothing changes them
  /// later.
  public static func initialise(
    _ folder: StateFolder, role: DeviceRole, name: String, accounts: StatedAccounts? = nil,
    tell: (String) -> Void = { _ in }
  ) async throws(NodeStartupError) -> DeviceID {
    let memory = UndumpableScope()
    defer { withExtendedLifetime(memory) {} }
    let deviceName: DeviceName
    do { deviceName = try DeviceName(name) } catch { throw NodeStartupError(error.description, exitStatus: 64) }
    if let fault = accounts?.fault { throw NodeStartupError(fault, exitStatus: 64) }
    try folder.create()
    if let done = try folder.tighten() { tell(done) }
    try folder.check()
    if let warning = folder.parentWarning { tell(warning) }
    let lock: FolderLock
    do { lock = try FolderLock(folder) } catch {
      guard folder.hasProfile, error.exitStatus == FolderLock.held else { throw error }
      throw NodeStartupError(
        "\(folder.path) holds a node already, which is running: see `latchkey status`, pair it with `latchkey pair`, or "
          + "choose another folder with --state-dir.", exitStatus: 73)
    }
    defer { withExtendedLifetime(lock) {} }
    folder.removeLeftovers()
    var keys = KeyFile.generate(for: role)
    let keyFile = KeyFileStore(path: folder.keyFile)
    do {
      try keyFile.create(keys)
    } catch .alreadyExists where !folder.hasProfile {
      // An earlier attempt was interrupted before it had written everything. Its keys are used, so
      // that none are ever lost.
      keys = try takeUp(keyFile, role: role, made: keys)
    } catch .alreadyExists {
      throw NodeStartupError(
        "\(folder.path) holds a node already: use it with `latchkey run`, or choose another folder with --state-dir.",
        exitStatus: 73)
    } catch { throw NodeStartupError(error) }
    let id = keys.deviceID
    do {
      try Store(path: folder.database, own: id, coding: MessageBodyCoding(), keys: SecureKeySource()).close()
    } catch { throw NodeStartupError(error) }
    try NodeProfile(
      role: role, name: deviceName, deviceID: id, accounts: role == .child ? accounts : nil,
      machine: MachineMark.current()
    ).save(folder)
    return id
  }

  /// Loads existing keys, and adds the household's key if a parent lacks it.
  private static func takeUp(
    _ file: KeyFileStore, role: DeviceRole, made: KeyFile
  ) throws(NodeStartupError) -> KeyFile {
    do {
      let keys = try file.load()
      guard role == .parent, keys.discoveryKey == nil, let key = made.discoveryKey else { return keys }
      let completed: KeyFile
      do { completed = try keys.with(discoveryKey: key) } catch {
        preconditionFailure("32 bytes are a discovery key")
      }
      try file.replace(with: completed)
      return completed
    } catch { throw NodeStartupError(error) }
  }

  /// Returns whether a state folder was created on this machine; `nil` if the machine has no ID or
  /// the folder does not record one.
  ///
  /// This changes nothing, and works while the node runs. Throws `NodeStartupError` if the folder
  /// holds no node or cannot be read.
  public static func isOfThisMachine(_ folder: StateFolder) throws(NodeStartupError) -> Bool? {
    guard let machine = try NodeProfile.load(folder).machine, let present = MachineMark.current() else { return nil }
    return machine == present
  }
}

/// The lock that prevents a second node from using a state folder.
///
/// The kernel releases it in any case when the process ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// The exit status if another process holds the lock.
  static let held: Int32 = 75

  init(_ folder: StateFolder) throws(NodeStartupError) {
    descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw NodeStartupError(
        "The lock \(folder.lock) cannot be created (\(String(cString: strerror(errno)))): check the folder's rights and its disk.",
        exitStatus: errno == ENOSPC ? 74 : 77)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      var text = [UInt8](repeating: 0, count: 32)
      let count = read(descriptor, &text, 32)
      let holder = String(decoding: text.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
      close(descriptor)
      throw NodeStartupError(
        "Another node (process \(holder.isEmpty ? "unknown" : holder)) runs on \(folder.path): stop it first, or choose another "
          + "folder with --state-dir.", exitStatus: Self.held)
    }
    // Written before it is truncated, so that a file that has space keeps it on a full disk.
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(descriptor, text, text.count, 0)
    ftruncate(descriptor, text.count)
  }

  deinit { close(descriptor) }
}

/// The source of random keys, and of the key IDs that the protocol defines.
struct SecureKeySource: KeySource {
  func freshKey() -> [UInt8] { SecureRandom.bytes(32) }

  func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
