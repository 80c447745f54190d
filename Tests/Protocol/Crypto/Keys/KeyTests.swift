import LatchkeyProtocol
import Testing

@Suite("Keys")
struct KeyTests {
  @Test("the vectors exist")
  func coverage() throws {
    let all = try KeyVectors.all.get()
    #expect(all.ed25519.count >= 6 && all.x25519.count >= 8 && all.x25519LowOrder.count == 14)
  }

  @Test("Ed25519 signs and verifies like other implementations", arguments: (try? KeyVectors.all.get().ed25519) ?? [])
  func signatures(_ vector: KeyVectors.Signature) throws {
    let pair = try IdentityKeyPair(seed: vector.seed.secret)
    #expect(pair.publicKey.bytes == vector.publicKey.bytes)
    #expect(pair.sign(vector.message.bytes) == vector.signature.bytes)
    let key = try IdentityPublicKey(bytes: vector.publicKey.bytes)
    #expect(key.verify(signature: vector.signature.bytes, of: vector.message.bytes))
    #expect(!key.verify(signature: vector.signature.bytes, of: vector.message.bytes + [0]))
    #expect(!key.verify(signature: [UInt8](vector.signature.bytes.dropLast()), of: vector.message.bytes))
    #expect(!key.verify(signature: vector.signature.bytes + [0], of: vector.message.bytes))
    #expect(!key.verify(signature: [], of: vector.message.bytes))
    for bit in 0..<512 {
      var forged = vector.signature.bytes
      forged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!key.verify(signature: forged, of: vector.message.bytes))
    }
    #expect(!IdentityKeyPair.generate().publicKey.verify(signature: vector.signature.bytes, of: vector.message.bytes))
  }

  @Test("bytes that are not a point verify nothing")
  func badIdentityKeys() throws {
    for byte in [0, 1, 0xff] as [UInt8] {
      let key = try IdentityPublicKey(bytes: [UInt8](repeating: byte, count: 32))
      #expect(!key.verify(signature: [UInt8](repeating: 0, count: 64), of: [1]))
    }
  }

  @Test("X25519 agrees with other implementations", arguments: (try? KeyVectors.all.get().x25519) ?? [])
  func agreements(_ vector: KeyVectors.Agreement) throws {
    let ours = try LinkKeyPair(secret: vector.secret.secret)
    let theirs = try LinkKeyPair(secret: vector.remoteSecret.secret)
    #expect(ours.publicKey.bytes == vector.publicKey.bytes)
    #expect(theirs.publicKey.bytes == vector.remotePublicKey.bytes)
    #expect(try ours.diffieHellman(theirs.publicKey) == vector.shared.secret)
    #expect(try theirs.diffieHellman(ours.publicKey) == vector.shared.secret)
  }

  @Test(
    "points of small order are not keys, and no secret is agreed with them",
    arguments: (try? KeyVectors.all.get().x25519LowOrder) ?? [])
  func lowOrder(_ vector: KeyVectors.LowOrder) throws {
    #expect(throws: KeyError.lowOrderPoint) { try LinkPublicKey(bytes: vector.publicKey.bytes) }
    let unchecked = LinkPublicKey(uncheckedBytes: vector.publicKey.bytes)
    #expect(throws: KeyError.lowOrderPoint) { try LinkKeyPair.generate().diffieHellman(unchecked) }
  }

  @Test("keys of another size are refused", arguments: [0, 1, 31, 33, 64])
  func sizes(_ count: Int) {
    let bytes = [UInt8](repeating: 9, count: count)
    let fault = KeyError.wrongLength(expected: 32, actual: count)
    #expect(throws: fault) { try LinkPublicKey(bytes: bytes) }
    #expect(throws: fault) { try LinkKeyPair(secret: SecretBytes(bytes)) }
    #expect(throws: fault) { try IdentityPublicKey(bytes: bytes) }
    #expect(throws: fault) { try IdentityKeyPair(seed: SecretBytes(bytes)) }
    #expect(throws: fault) { try PresharedKey(bytes: bytes) }
  }

  @Test("every generated key is different")
  func generation() {
    #expect(Set((0..<50).map { _ in LinkKeyPair.generate().publicKey }).count == 50)
    #expect(Set((0..<50).map { _ in IdentityKeyPair.generate().publicKey }).count == 50)
    #expect(PresharedKey.generate() != PresharedKey.generate())
    #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
    #expect(SecureRandom.bytes(0).isEmpty && SecureRandom.bytes(1000).count == 1000)
  }
}
