import LatchkeyProtocol
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
  private struct Fault: Error, Equatable {}

  private let content: [UInt8] = [0xca, 0xfe, 0xba, 0xbe]

  @Test("printing a secret reveals none of its content")
  func redaction() {
    let secret = SecretBytes(content)
    let key = LinkKeyPair.generate()
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] {
      #expect(text.contains("redacted") && text.contains("4"))
      #expect(!text.contains("202") && !text.lowercased().contains("ca"))
    }
    #expect("\(key)".contains("SecretBytes(32 bytes, redacted)"))
  }

  @Test("two secrets are equal if their bytes are equal")
  func equality() {
    #expect(SecretBytes(content) == SecretBytes(content))
    #expect(SecretBytes(content) != SecretBytes([0xca, 0xfe, 0xba, 0xbf]))
    #expect(SecretBytes(content) != SecretBytes([0xca, 0xfe, 0xba]))
    #expect(SecretBytes([]) == SecretBytes([]))
    #expect(ConstantTime.areEqual(content, content) && !ConstantTime.areEqual(content, [0xca]))
    #expect(!ConstantTime.areEqual(content, [0xca, 0xfe, 0xba, 0xff]) && ConstantTime.areEqual([], []))
  }

  @Test("secrets are concatenated and split")
  func parts() {
    let secret = SecretBytes(joining: [SecretBytes([1, 2]), SecretBytes([]), SecretBytes([3, 4, 5])])
    #expect(secret == SecretBytes([1, 2, 3, 4, 5]))
    #expect(secret.slice(1..<4) == SecretBytes([2, 3, 4]))
    #expect(secret.slice(5..<5).count == 0)
    #expect(secret.withUnsafeBytes { [UInt8]($0) } == [1, 2, 3, 4, 5])
    #expect(content.withUnsafeBytes { SecretBytes(copying: $0) } == SecretBytes(content))
    #expect(SecretBytes.random(count: 16) != SecretBytes.random(count: 16))
    #expect(SecretBytes.random(count: 0).count == 0)
  }

  @Test("an error of the initializer's closure is rethrown")
  func failingInitialiser() {
    #expect(throws: Fault()) {
      try SecretBytes(count: 4) { memory throws(Fault) in
        memory[0] = 1
        throw Fault()
      }
    }
  }
}
