import LatchkeyProtocol
import Testing

@Suite("Hashing")
struct HashingTests {
  struct File: Decodable, Sendable {
    struct Digest: Decodable, Sendable {
      let message: Hex
      let digest: Hex
    }
    struct Code: Decodable, Sendable {
      let key: Hex
      let message: Hex
      let code: Hex
    }
    struct Derivation: Decodable, Sendable {
      let salt: Hex
      let inputKeyMaterial: Hex
      let info: Hex
      let key: Hex
    }
    let sha256: [Digest]
    let sha512: [Digest]
    let hmacSHA256: [Code]
    let hkdfSHA256: [Derivation]
  }

  static let file = Vectors.own("hashing.json", as: File.self)

  @Test("the vectors exist")
  func coverage() throws {
    let file = try Self.file.get()
    #expect(
      file.sha256.count >= 14 && file.sha512.count >= 14 && file.hmacSHA256.count >= 28 && file.hkdfSHA256.count >= 10)
  }

  @Test("SHA-256, in one piece and in several", arguments: (try? file.get().sha256) ?? [])
  func sha256(_ vector: File.Digest) {
    let message = vector.message.bytes
    #expect(SHA256.hash(message) == vector.digest.bytes)
    for size in [1, 7, 64] {
      var hash = SHA256()
      for start in stride(from: 0, to: message.count, by: size) {
        let piece = [UInt8](message[start..<min(start + size, message.count)])
        if start.isMultiple(of: 2) { hash.update(piece) } else { piece.withUnsafeBytes { hash.update($0) } }
      }
      #expect(hash.finalize() == vector.digest.bytes)
    }
  }

  @Test("SHA-512", arguments: (try? file.get().sha512) ?? [])
  func sha512(_ vector: File.Digest) {
    #expect(SHA512.hash(vector.message.bytes) == vector.digest.bytes)
    #expect(SHA512.hash(vector.message.secret) == vector.digest.secret)
  }

  @Test("HMAC-SHA-256", arguments: (try? file.get().hmacSHA256) ?? [])
  func hmac(_ vector: File.Code) {
    #expect(HMACSHA256.authenticate(key: vector.key.bytes, message: vector.message.bytes) == vector.code.bytes)
    #expect(HMACSHA256.authenticate(key: vector.key.secret, message: vector.message.bytes) == vector.code.bytes)
  }

  @Test("HKDF-SHA-256", arguments: (try? file.get().hkdfSHA256) ?? [])
  func hkdf(_ vector: File.Derivation) {
    let (salt, material, info, key) = (vector.salt, vector.inputKeyMaterial, vector.info.bytes, vector.key)
    let count = key.bytes.count
    #expect(HKDF.derive(salt: salt.bytes, inputKeyMaterial: material.bytes, info: info, count: count) == key.bytes)
    #expect(HKDF.derive(salt: salt.bytes, inputKeyMaterial: material.secret, info: info, count: count) == key.secret)
    #expect(HKDF.derive(salt: salt.secret, inputKeyMaterial: material.secret, info: info, count: count) == key.secret)
  }

  @Test("HMAC-SHA-256: the examples of RFC 4231")
  func rfc4231() throws {
    let examples: [(key: [UInt8], message: [UInt8], code: String)] = [
      (
        [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ]
    for example in examples {
      #expect(try HMACSHA256.authenticate(key: example.key, message: example.message) == Hex(example.code).bytes)
    }
  }

  @Test("HKDF-SHA-256: the examples of RFC 5869, appendix A")
  func rfc5869() throws {
    let long = (salt: (0x60...0xaf).map { UInt8($0) }, info: (0xb0...0xff).map { UInt8($0) })
    let repeated = [UInt8](repeating: 0x0b, count: 22)
    let examples: [(salt: [UInt8], material: [UInt8], info: [UInt8], key: String)] = [
      (
        [UInt8](0...12), repeated, [UInt8](0xf0...0xf9),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      (
        long.salt, [UInt8](0...0x4f), long.info,
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
          + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
      ),
      ([], repeated, [], "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ]
    for example in examples {
      let key = try Hex(example.key).bytes
      #expect(
        HKDF.derive(salt: example.salt, inputKeyMaterial: example.material, info: example.info, count: key.count) == key
      )
    }
    #expect(HKDF.derive(salt: [], inputKeyMaterial: [1], info: [], count: 0).isEmpty)
    #expect(HKDF.maximumByteCount == 8160)
  }
}
