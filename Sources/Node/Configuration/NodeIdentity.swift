import Foundation
import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem

/// A person's decision about a state folder that was moved to another machine.
///
/// The node must not run.
public enum NodeIdentity {
  /// Records that this machine replaces the one that the folder comes from; throws
  /// `NodeStartupError` if there is no node, it is running, or the folder cannot be written.
  public static func keep(_ folder: StateFolder) throws(NodeStartupError) -> DeviceName {
    let (lock, loaded) = try open(folder)
    defer { withExtendedLifetime(lock) {} }
    var profile = loaded
    guard profile.renewal == nil else { throw NodeProfile.cutOff }
    profile.machine = MachineMark.current()
    try profile.save(folder)
    return profile.name
  }

  /// Gives a copied folder new keys.
  ///
  /// Removes every peer and its keys; the history becomes this device's own. Returns the name and
  /// the new ID.
  ///
  /// If it is interrupted at any point, it continues there when called again. Throws
  /// `NodeStartupError` if there is no node, it is running, or the folder or database cannot be
  /// written.
  public static func renew(
    _ folder: StateFolder
  ) async throws(NodeStartupError) -> (name: DeviceName, deviceID: DeviceID) {
    let memory = UndumpableScope()
    defer { withExtendedLifetime(memory) {} }
    let (lock, loaded) = try open(folder)
    defer { withExtendedLifetime(lock) {} }
    var profile = loaded
    let file = KeyFileStore(path: folder.keyFile)
    let nextFile = KeyFileStore(path: folder.keyFile + ".next")
    do {
      if let renewal = profile.renewal, try file.load().deviceID == renewal {
        // Only the last change of the profile is missing.
      } else {
        let keys = try nextKeys(profile, nextFile)
        profile.renewal = keys.deviceID
        try profile.save(folder)
        try await renewDatabase(folder, from: profile.deviceID, to: keys.deviceID)
        try file.replace(with: keys)
      }
    } catch let error as KeyFileError { throw NodeStartupError(error) } catch let error as NodeStartupError {
      throw error
    } catch { throw NodeStartupError("The keys could not be renewed (\(error)): try again.", exitStatus: 70) }
    guard let new = profile.renewal else { preconditionFailure("set above") }
    unlink(nextFile.path)
    profile.deviceID = new
    profile.renewal = nil
    profile.machine = MachineMark.current()
    try profile.save(folder)
    return (profile.name, new)
  }

  private static func open(_ folder: StateFolder) throws(NodeStartupError) -> (FolderLock, NodeProfile) {
    try folder.check()
    // Loaded once before the lock, which would otherwise leave a file in a folder without a node.
    _ = try NodeProfile.load(folder)
    let lock = try FolderLock(folder)
    folder.removeLeftovers()
    return (lock, try NodeProfile.load(folder))
  }

  /// Returns the keys of an interrupted attempt if the profile names them; otherwise, creates and
  /// stores new ones.
  private static func nextKeys(_ profile: NodeProfile, _ file: KeyFileStore) throws(KeyFileError) -> KeyFile {
    if let renewal = profile.renewal, let keys = try? file.load(), keys.deviceID == renewal { return keys }
    let keys = KeyFile.generate(for: profile.role)
    try file.replace(with: keys)
    return keys
  }

  private static func renewDatabase(
    _ folder: StateFolder, from old: DeviceID, to new: DeviceID
  ) async throws(NodeStartupError) {
    do {
      let store = try Store(path: folder.database, own: new, coding: MessageBodyCoding(), keys: SecureKeySource())
      defer { store.close() }
      try await store.renewIdentity(from: old, to: new, at: WallClock.now())
    } catch { throw NodeStartupError(error) }
  }
}

/// An identifier of this machine that does not reveal its machine ID: a hash for Latchkey only.
///
/// It is computed like the result of `sd_id128_get_machine_app_specific`: HMAC-SHA-256 with the
/// machine ID as key over the application's ID, truncated to 16 bytes and marked as a random UUID.
/// The machine ID cannot be derived from it, and is never stored.
enum MachineMark {
  /// Latchkey's application ID: 16 bytes that were chosen once at random.
  static let application: [UInt8] = [
    0x39, 0x19, 0x1a, 0xab, 0x21, 0xe8, 0x4a, 0xaf, 0x83, 0xd2, 0x0b, 0xc0, 0x1d, 0xd6, 0x31, 0x37,
  ]

  /// Returns the mark of this machine as 32 hexadecimal digits; `nil` if the machine has no ID, as
  /// in most containers.
  static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    var path = "/etc/machine-id"
    #if DEBUG
      // Tests can simulate another machine.
      path = environment["LATCHKEY_MACHINE_ID_FILE"] ?? path
    #endif
    guard let bytes = ProcFile.read(path, most: 65), bytes.count <= 64 else { return nil }
    return make(machineID: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the mark of the machine with an ID; `nil` if the ID is invalid, such as
  /// `uninitialized` during the first boot.
  static func make(machineID text: String) -> String? {
    let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard digits.utf8.count == 32, let id = Hexadecimal.decode(digits), id.contains(where: { $0 != 0 }) else {
      return nil
    }
    var mark = Array(HMACSHA256.authenticate(key: id, message: application).prefix(16))
    mark[6] = mark[6] & 0x0F | 0x40
    mark[8] = mark[8] & 0x3F | 0x80
    return Hexadecimal.encode(mark)
  }
}
