import Foundation
import Glibc
import LatchkeyModel
import LatchkeySystem

/// The role, name and identity of a node: `node.json` in its state folder.
struct NodeProfile: Codable, Sendable {
  static let currentVersion = 1

  var version = NodeProfile.currentVersion
  var role: DeviceRole
  var name: DeviceName
  var deviceID: DeviceID
  /// On a child's machine, the accounts that its owner has named as a child's; `nil` for none.
  var accounts: StatedAccounts?
  /// The mark of the machine that the folder belongs to; `nil` if that machine had no ID so far.
  var machine: String?
  /// The new device ID while new keys are being installed; otherwise `nil`.
  var renewal: DeviceID?

  static func load(_ folder: StateFolder) throws(NodeStartupError) -> NodeProfile {
    guard let bytes = ProcFile.read(folder.profile, most: 1 << 20) else {
      let isThere = FileManager.default.fileExists(atPath: folder.profile)
      throw isThere
        ? NodeStartupError("\(folder.profile) cannot be read: check its owner and rights.", exitStatus: 77)
        : NodeStartupError(
          "\(folder.path) holds no node: create one with `latchkey init --role parent|child --name NAME`.",
          exitStatus: 66
        )
    }
    let data = Data(bytes)
    struct VersionOnly: Codable { var version: Int }
    if let found = try? JSONDecoder().decode(VersionOnly.self, from: data), found.version > currentVersion {
      throw NodeStartupError(
        "The state folder \(folder.path) is of a newer version: update Latchkey, or choose another one with --state-dir.",
        exitStatus: 78)
    }
    do {
      return try JSONDecoder().decode(NodeProfile.self, from: data)
    } catch {
      throw NodeStartupError("\(folder.profile) is damaged: put a backup of it in its place.", exitStatus: 65)
    }
  }

  func save(_ folder: StateFolder) throws(NodeStartupError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let content: [UInt8]
    do { content = Array(try encoder.encode(self)) } catch { preconditionFailure("a profile is JSON: \(error)") }
    try DurableFile.replace(folder.profile, with: content)
  }

  /// Checks that the folder belongs to this machine.
  ///
  /// A folder without a mark takes this machine's.
  ///
  /// Returns whether there was a mark to compare with. Throws `NodeStartupError` if the folder
  /// comes from another machine; its sentence names both solutions.
  func checkMachine(_ folder: StateFolder) throws(NodeStartupError) -> Bool {
    guard renewal == nil else { throw Self.cutOff }
    guard let present = MachineMark.current() else { return false }
    guard let machine else {
      var marked = self
      marked.machine = present
      try marked.save(folder)
      return true
    }
    guard machine == present else {
      throw NodeStartupError(
        "The state folder \(folder.path) comes from another machine: run `latchkey identity keep` if this machine takes that "
          + "one's place, or `latchkey identity renew` if this is a copy, which then has to be paired again.",
        exitStatus: 78)
    }
    return true
  }

  /// The fault of a profile whose new keys are only partly installed.
  static let cutOff = NodeStartupError(
    "The change of this node's keys was interrupted: run `latchkey identity renew` again.", exitStatus: 75)
}

/// A small file that is replaced as a whole and durably.
///
/// After a power cut, it has either the old content or the new one.
package enum DurableFile {
  /// Replaces the file at `path` with `content`, readable by its owner only; throws
  /// `NodeStartupError`, which describes the fault of the folder or the disk.
  package static func replace(_ path: String, with content: [UInt8]) throws(NodeStartupError) {
    let temporary = path + ".new"
    let code = content.withUnsafeBytes {
      write($0, to: temporary, O_TRUNC, in: (path as NSString).deletingLastPathComponent) {
        rename(temporary, path) == 0 ? 0 : errno
      }
    }
    guard code == 0 else {
      throw NodeStartupError(
        "\(path) cannot be written (\(String(cString: strerror(code)))): check the folder's rights and whether its disk is full.",
        exitStatus: 73)
    }
  }

  /// Writes a file under a temporary name, flushes it, and has `publish` put it in place, which
  /// returns 0 or the system's error number; returns the same.
  static func write(
    _ content: UnsafeRawBufferPointer, to temporary: String, _ flags: Int32, in folder: String, publish: () -> Int32
  ) -> Int32 {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else { return errno }
    var code = fill(descriptor, with: content)
    close(descriptor)
    if code == 0 { code = publish() }
    guard code == 0 else {
      unlink(temporary)
      return code
    }
    return sync(folder: folder)
  }

  private static func fill(_ descriptor: Int32, with content: UnsafeRawBufferPointer) -> Int32 {
    // A strict umask can remove rights from the owner, but cannot add any.
    guard fchmod(descriptor, 0o600) == 0 else { return errno }
    var rest = content[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// Makes the names in a folder durable; returns 0 or the system's error number.
  private static func sync(folder: String) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}
