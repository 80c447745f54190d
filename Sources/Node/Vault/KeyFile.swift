import Glibc
import LatchkeyModel
import LatchkeyProtocol

/// The content of a device's key file: its keys and the ID of its installation.
///
/// The layout, in bytes: magic `LatchKey` 8 · version 1 · flags 1 (bit 0: a household discovery key
/// is known) · installation ID 16 · identity seed 32 · link secret 32 · household discovery key 32,
/// zero if unknown · SHA-256 of everything before 32. In every version, the magic and the version
/// come first and the hash last, to distinguish damage from a later version.
public struct KeyFile: Sendable {
  static let installIDByteCount = 16
  public static let discoveryKeyByteCount = 32
  public static let version = 1

  static let magic = [UInt8]("LatchKey".utf8)
  static let byteCount = 154
  /// The largest size of any version of the file.
  ///
  /// A larger file is not read.
  static let maximumByteCount = 4096
  private static let shortestByteCount = magic.count + 1 + SHA256.byteCount
  private static let discoveryKeyFlag: UInt8 = 1

  public let identity: IdentityKeyPair
  public let link: LinkKeyPair
  /// The key by which members of the household recognize each other on the network, 32 bytes; `nil`
  /// before pairing.
  public let discoveryKey: SecretBytes?
  /// A random ID of 16 bytes that is new at every installation, to distinguish a cloned disk from
  /// its original.
  public let installID: [UInt8]

  /// Creates a key file; throws `KeyError.wrongLength` if the discovery key is neither `nil` nor of
  /// 32 bytes, or the installation ID has not 16.
  public init(
    identity: IdentityKeyPair, link: LinkKeyPair, discoveryKey: SecretBytes?, installID: [UInt8]
  ) throws(KeyError) {
    let keyCount = discoveryKey?.count ?? Self.discoveryKeyByteCount
    guard keyCount == Self.discoveryKeyByteCount else {
      throw .wrongLength(expected: Self.discoveryKeyByteCount, actual: keyCount)
    }
    guard installID.count == Self.installIDByteCount else {
      throw .wrongLength(expected: Self.installIDByteCount, actual: installID.count)
    }
    (self.identity, self.link, self.discoveryKey, self.installID) = (identity, link, discoveryKey, installID)
  }

  private init(new discoveryKey: SecretBytes?) {
    (identity, link, self.discoveryKey) = (.generate(), .generate(), discoveryKey)
    installID = SecureRandom.bytes(Self.installIDByteCount)
  }

  public static func generate() -> KeyFile { KeyFile(new: nil) }

  /// Returns new keys for a device.
  ///
  /// A parent founds a household. A child receives the household's key when it is paired.
  static func generate(for role: DeviceRole) -> KeyFile {
    KeyFile(new: role == .parent ? .random(count: discoveryKeyByteCount) : nil)
  }

  var deviceID: DeviceID { DeviceKeys(identity: identity.publicKey, link: link.publicKey).deviceID }

  /// Returns a copy with another household discovery key; throws `KeyError.wrongLength` unless the
  /// key is 32 bytes or `nil`.
  public func with(discoveryKey: SecretBytes?) throws(KeyError) -> KeyFile {
    try KeyFile(identity: identity, link: link, discoveryKey: discoveryKey, installID: installID)
  }

  public func encoded() -> SecretBytes {
    let flags = discoveryKey == nil ? 0 : Self.discoveryKeyFlag
    let content = SecretBytes(joining: [
      SecretBytes(Self.magic + [UInt8(Self.version), flags] + installID),
      identity.seed, link.secret,
      discoveryKey ?? SecretBytes([UInt8](repeating: 0, count: Self.discoveryKeyByteCount)),
    ])
    return SecretBytes(joining: [content, SecretBytes(Self.checksum(of: content))])
  }

  /// Creates a key file from the content of the whole file; throws `KeyFileError.corrupt` or
  /// `KeyFileError.newerVersion`.
  ///
  /// The path is for error messages only.
  public init(decoding content: SecretBytes, path: String) throws(KeyFileError) {
    guard content.count >= Self.shortestByteCount else { throw .corrupt(path: path) }
    let start = content.withUnsafeBytes { [UInt8]($0.prefix(Self.magic.count + 2)) }
    let body = content.slice(0..<content.count - SHA256.byteCount)
    let sum = content.slice(body.count..<content.count)
    guard Array(start.prefix(Self.magic.count)) == Self.magic, sum == SecretBytes(Self.checksum(of: body)) else {
      throw .corrupt(path: path)
    }
    let version = Int(start[Self.magic.count])
    guard version <= Self.version else { throw .newerVersion(path: path, version: version) }
    let flags = start[Self.magic.count + 1]
    guard version == Self.version, content.count == Self.byteCount, flags & ~Self.discoveryKeyFlag == 0 else {
      throw .corrupt(path: path)
    }
    do {
      try self.init(
        identity: IdentityKeyPair(seed: content.slice(26..<58)), link: LinkKeyPair(secret: content.slice(58..<90)),
        discoveryKey: flags & Self.discoveryKeyFlag == 0 ? nil : content.slice(90..<122),
        installID: content.slice(10..<26).withUnsafeBytes { [UInt8]($0) })
    } catch {
      throw .corrupt(path: path)
    }
  }

  private static func checksum(of content: SecretBytes) -> [UInt8] {
    var hash = SHA256()
    content.withUnsafeBytes { hash.update($0) }
    return hash.finalize()
  }
}

/// A key file on disk that only its owner can read and that is complete at every moment.
///
/// A file is written under a temporary name, flushed, and then renamed in one step, so that a crash
/// leaves either the old file or the new one. A crash may also leave a file named
/// `.<name>.<random>` with the same rights.
public struct KeyFileStore: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// Returns the key file.
  ///
  /// Throws `missing`, `unreadable`, `notAFile`, `foreignOwner`, `rightsTooOpen`, `newerVersion` or
  /// `corrupt`.
  public func load() throws(KeyFileError) -> KeyFile {
    // Without O_NONBLOCK, a pipe at this path would block the program forever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: throw .missing(path: path)
      case ELOOP, ENXIO: throw .notAFile(path: path)
      case let code: throw .unreadable(path: path, code: code)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    guard status.st_uid == geteuid() else { throw .foreignOwner(path: path, owner: status.st_uid) }
    guard status.st_mode & 0o077 == 0 else { throw .rightsTooOpen(path: path, mode: status.st_mode & 0o7777) }
    guard status.st_size <= KeyFile.maximumByteCount else { throw .corrupt(path: path) }
    return try KeyFile(decoding: try read(descriptor, count: Int(status.st_size)), path: path)
  }

  /// Writes the key file of a new device, unless one exists.
  ///
  /// Throws `alreadyExists` or `unwritable`. If only the flush of the folder fails, the new file
  /// exists but may be lost in a power cut.
  public func create(_ keyFile: KeyFile) throws(KeyFileError) {
    try write(keyFile) { temporary in
      // Unlike rename, link never replaces a file.
      guard link(temporary, path) == 0 else { return errno }
      unlink(temporary)
      return 0
    }
  }

  /// Replaces the existing key file, for example after the device has joined a household.
  ///
  /// Throws `unwritable`. The old file is unchanged in that case, unless only the flush of the
  /// folder failed.
  public func replace(with keyFile: KeyFile) throws(KeyFileError) {
    try write(keyFile) { temporary in rename(temporary, path) == 0 ? 0 : errno }
  }

  /// Writes the file under a temporary name and calls `publish` to put it in place, which returns 0
  /// or the system's error number.
  private func write(_ keyFile: KeyFile, publish: (String) -> Int32) throws(KeyFileError) {
    let (folder, name) = splitPath()
    let temporary = "\(folder)/.\(name).\(Hexadecimal.encode(SecureRandom.bytes(8)))"
    let code = keyFile.encoded().withUnsafeBytes {
      DurableFile.write($0, to: temporary, O_EXCL, in: folder) { publish(temporary) }
    }
    guard code == 0 else { throw code == EEXIST ? .alreadyExists(path: path) : .unwritable(path: path, code: code) }
  }

  private func read(_ descriptor: Int32, count: Int) throws(KeyFileError) -> SecretBytes {
    var received = 0
    var code: Int32 = 0
    let content = SecretBytes(count: count) { memory in
      while received < count, code == 0 {
        let step = Glibc.read(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: memory[received...]).baseAddress, count - received)
        if step > 0 {
          received += step
        } else if step == 0 {
          break
        } else if errno != EINTR {
          code = errno
        }
      }
    }
    guard code == 0 else { throw .unreadable(path: path, code: code) }
    return received == count ? content : content.slice(0..<received)
  }

  private func splitPath() -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }
}

public enum KeyFileError: Error, Equatable, Sendable {
  case missing(path: String)
  /// The system refuses to read the file, with an error number.
  case unreadable(path: String, code: Int32)
  /// There is a folder, a link or a device at the path.
  case notAFile(path: String)
  /// Users other than the owner have rights to the file, by its permission bits.
  case rightsTooOpen(path: String, mode: UInt32)
  /// The file belongs to another user, by that user's number.
  case foreignOwner(path: String, owner: UInt32)
  case newerVersion(path: String, version: Int)
  case corrupt(path: String)
  /// The file exists, and a new identity must never replace one.
  case alreadyExists(path: String)
  /// The system refuses to write the file, with an error number.
  case unwritable(path: String, code: Int32)
}

extension KeyFileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let path): "There is no key file at \(path); run 'latchkey init' first."
    case .unreadable(let path, let code):
      "The key file \(path) cannot be read (\(String(cString: strerror(code)))); check who owns it and its folder."
    case .notAFile(let path):
      "\(path) is not a plain file; move it away and restore the key file, or run 'latchkey init'."
    case .rightsTooOpen(let path, let mode):
      "Others may use the key file \(path) (mode \(String(mode, radix: 8))); run 'chmod 600' on it."
    case .foreignOwner(let path, let owner):
      "The key file \(path) belongs to user \(owner); run latchkey as that user, or give the file to this one."
    case .newerVersion(let path, let version):
      "The key file \(path) has format \(version) of a later latchkey; install that version again."
    case .corrupt(let path):
      "The key file \(path) is damaged; restore it from a backup, or move it away and run 'latchkey init'."
    case .alreadyExists(let path):
      "There is a key file at \(path) already; move it away first if this device is to become a new one."
    case .unwritable(let path, let code):
      "The key file \(path) cannot be written (\(String(cString: strerror(code)))); make room or choose another folder."
    }
  }
}
