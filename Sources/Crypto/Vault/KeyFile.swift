/// Hold what makes a device itself: its keys, and which installation it is.
///
/// Layout, in bytes: magic `LatchKey` 8 · version 1 · flags 1 (bit 0: a household discovery key is known) ·
/// installation ID 16 · identity seed 32 · link secret 32 · household discovery key 32, zero where unknown ·
/// SHA-256 of all before 32. In every version the magic and the version come first and the hash last, so that damage
/// and a later version can be told apart.
public struct KeyFile: Sendable {
  /// The size of an installation ID in bytes.
  public static let installIDByteCount = 16
  /// The size of a household discovery key in bytes.
  public static let householdKeyByteCount = 32
  /// The format this program writes.
  public static let version = 1

  static let magic = [UInt8]("LatchKey".utf8)
  static let byteCount = 154
  /// No version of the file is longer; a longer file is not read at all.
  static let maximumByteCount = 4096
  private static let shortestByteCount = magic.count + 1 + SHA256.byteCount
  private static let householdKeyFlag: UInt8 = 1

  /// The key pair that signs.
  public let identity: IdentityKeyPair
  /// The key pair that sessions are made with.
  public let link: LinkKeyPair
  /// The key by which members of the household recognise each other on the network, 32 bytes; nil before pairing.
  public let householdDiscoveryKey: SecretBytes?
  /// Random, 16 bytes, new at every installation, so that a cloned disk can be told from its original.
  public let installID: [UInt8]

  /// Put a key file together.
  ///
  /// - Parameters:
  ///   - identity: the key pair that signs.
  ///   - link: the key pair that sessions are made with.
  ///   - householdDiscoveryKey: 32 bytes, or nil.
  ///   - installID: 16 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(
    identity: IdentityKeyPair, link: LinkKeyPair, householdDiscoveryKey: SecretBytes?, installID: [UInt8]
  ) throws(KeyError) {
    let householdCount = householdDiscoveryKey?.count ?? Self.householdKeyByteCount
    guard householdCount == Self.householdKeyByteCount else {
      throw .wrongLength(expected: Self.householdKeyByteCount, actual: householdCount)
    }
    guard installID.count == Self.installIDByteCount else {
      throw .wrongLength(expected: Self.installIDByteCount, actual: installID.count)
    }
    self.identity = identity
    self.link = link
    self.householdDiscoveryKey = householdDiscoveryKey
    self.installID = installID
  }

  private init(generated: Void) {
    identity = .generate()
    link = .generate()
    householdDiscoveryKey = nil
    installID = SecureRandom.bytes(Self.installIDByteCount)
  }

  /// Make the keys of a new device.
  public static func generate() -> KeyFile {
    KeyFile(generated: ())
  }

  /// Make a copy that knows another household discovery key; the rest stays.
  ///
  /// - Throws: `KeyError.wrongLength` unless the key is 32 bytes or nil.
  public func with(householdDiscoveryKey: SecretBytes?) throws(KeyError) -> KeyFile {
    try KeyFile(identity: identity, link: link, householdDiscoveryKey: householdDiscoveryKey, installID: installID)
  }

  /// Write the file's content.
  public func encoded() -> SecretBytes {
    let flags = householdDiscoveryKey == nil ? 0 : Self.householdKeyFlag
    let content = SecretBytes(joining: [
      SecretBytes(Self.magic + [UInt8(Self.version), flags] + installID),
      identity.seed, link.secret,
      householdDiscoveryKey ?? SecretBytes([UInt8](repeating: 0, count: Self.householdKeyByteCount)),
    ])
    return SecretBytes(joining: [content, SecretBytes(Self.checksum(of: content))])
  }

  /// Read a file's content back.
  ///
  /// - Parameters:
  ///   - content: the whole file.
  ///   - path: where it lay, for the error alone.
  /// - Throws: `KeyFileError.corrupt` or `KeyFileError.newerVersion`.
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
    guard version == Self.version, content.count == Self.byteCount, flags & ~Self.householdKeyFlag == 0 else {
      throw .corrupt(path: path)
    }
    do {
      try self.init(
        identity: IdentityKeyPair(seed: content.slice(26..<58)), link: LinkKeyPair(secret: content.slice(58..<90)),
        householdDiscoveryKey: flags & Self.householdKeyFlag == 0 ? nil : content.slice(90..<122),
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
