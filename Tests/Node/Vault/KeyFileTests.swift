import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite("Key file: its content")
struct KeyFileTests {
  static let path = "/state/identity.key"

  private func withHousehold() throws -> KeyFile {
    try KeyFile.generate().with(discoveryKey: .random(count: KeyFile.discoveryKeyByteCount))
  }

  private func bytes(_ keyFile: KeyFile) -> [UInt8] { keyFile.encoded().withUnsafeBytes { [UInt8]($0) } }

  private func decode(_ bytes: [UInt8]) throws -> KeyFile { try KeyFile(decoding: SecretBytes(bytes), path: Self.path) }

  /// Returns altered content with a valid checksum.
  private func signed(_ body: [UInt8]) -> [UInt8] { body + SHA256.hash(body) }

  @Test("a file is encoded and decoded, with and without a household")
  func roundTrip() throws {
    for keyFile in [KeyFile.generate(), try withHousehold()] {
      let again = try decode(bytes(keyFile))
      #expect(again.identity.publicKey == keyFile.identity.publicKey)
      #expect(again.identity.seed == keyFile.identity.seed)
      #expect(again.link.publicKey == keyFile.link.publicKey)
      #expect(again.discoveryKey == keyFile.discoveryKey)
      #expect(again.installID == keyFile.installID)
      #expect(again.encoded() == keyFile.encoded())
    }
  }

  @Test("a new household key changes nothing else")
  func household() throws {
    let before = KeyFile.generate()
    #expect(before.discoveryKey == nil)
    let key = SecretBytes.random(count: 32)
    let after = try before.with(discoveryKey: key)
    #expect(after.discoveryKey == key && after.installID == before.installID)
    #expect(after.identity.publicKey == before.identity.publicKey && after.link.publicKey == before.link.publicKey)
    #expect(try after.with(discoveryKey: nil).encoded() == before.encoded())
    #expect(throws: KeyError.wrongLength(expected: 32, actual: 31)) {
      try before.with(discoveryKey: .random(count: 31))
    }
    #expect(throws: KeyError.wrongLength(expected: 16, actual: 15)) {
      try KeyFile(
        identity: .generate(), link: .generate(), discoveryKey: nil, installID: SecureRandom.bytes(15))
    }
  }

  @Test("every flipped bit, truncation and extension is detected as damage")
  func damage() throws {
    let content = bytes(try withHousehold())
    for bit in 0..<content.count * 8 {
      var forged = content
      forged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: KeyFileError.corrupt(path: Self.path)) { try decode(forged) }
    }
    for count in 0..<content.count {
      #expect(throws: KeyFileError.corrupt(path: Self.path)) { try decode([UInt8](content.prefix(count))) }
    }
    #expect(throws: KeyFileError.corrupt(path: Self.path)) { try decode(content + [0]) }
  }

  @Test("a later version is distinguished from damage, whatever its length")
  func newerVersion() throws {
    var body = [UInt8](bytes(KeyFile.generate()).dropLast(32))
    body[8] = 2
    for content in [signed(body), signed(body + [1, 2, 3]), signed([UInt8](body.prefix(9)))] {
      #expect(throws: KeyFileError.newerVersion(path: Self.path, version: 2)) { try decode(content) }
    }
  }

  @Test("complete content of another kind is refused")
  func foreign() throws {
    let body = [UInt8](bytes(KeyFile.generate()).dropLast(32))
    var (older, flags, magic) = (body, body, body)
    older[8] = 0
    flags[9] = 2
    magic[0] ^= 0x20
    for content in [older, flags, magic, [UInt8](body.dropLast()), body + [0], []] {
      #expect(throws: KeyFileError.corrupt(path: Self.path)) { try decode(signed(content)) }
    }
  }

  @Test("random bytes never trap")
  func randomBytes() {
    var generator = SeededRandom(seed: 21)
    for _ in 0..<2000 {
      let content = generator.bytes(Int.random(in: 0...300, using: &generator))
      #expect(throws: KeyFileError.corrupt(path: Self.path)) { try decode(content) }
    }
  }
}
