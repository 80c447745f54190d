import LatchkeyModel
import LatchkeyProtocol

/// The content of a device's key file: its keys and the ID of its installation.
///
/// The layout, in bytes: magic `LatchKey` 8 · version 1 · flags 1 (bit 0: a household discovery key
/// is known) · installation ID 16 · identity seed 32 · link secret 32 · household discovery key 32,
/// zero if unknown · SHA-256 of everything before 32. In every version, the magic and the version
/// come first and the hash last, to distinguish damage from a later version.
public struct KeyFile: Sendable {
  /// The size of an installation ID in bytes.
  static let installIDByteCount = 16
  /// The size of a household discovery key in bytes.
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
