import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite("Noise: the transport")
struct NoiseTransportTests {
  private func transports() throws -> (NoiseTransport, NoiseTransport) {
    var pair = try HandshakePair(.ikPSK2)
    try pair.complete()
    return (try pair.initiator.finish(), try pair.responder.finish())
  }

  @Test("messages of every size up to the largest", arguments: [0, 1, 15, 16, 17, 1000, 65_518, 65_519])
  func sizes(_ count: Int) throws {
    var (first, second) = try transports()
    let plaintext = [UInt8](repeating: 0x5a, count: count)
    let message = try first.seal(plaintext)
    #expect(message.count == count + NoiseTransport.overheadByteCount)
    #expect(try second.open(message) == plaintext)
  }

  @Test("a message that is too long is not sealed, and the next one is")
  func tooLong() throws {
    var (first, second) = try transports()
    #expect(NoiseTransport.maximumPlaintextByteCount == 65_519)
    #expect(throws: NoiseError.messageTooLong) { try first.seal([UInt8](repeating: 0, count: 65_520)) }
    #expect(throws: NoiseError.authenticationFailed) { try second.open([UInt8](repeating: 0, count: 65_536)) }
    #expect(first.sealedMessageCount == 0 && second.openedMessageCount == 0)
    #expect(try second.open(try first.seal([1])) == [1])
    #expect(first.sealedMessageCount == 1 && second.openedMessageCount == 1)
  }

  @Test("altered, repeated, skipped and reflected messages are refused, and the original is accepted")
  func refusals() throws {
    var (first, second) = try transports()
    let message = try first.seal([9, 8, 7])
    let later = try first.seal([6])
    for bit in 0..<message.count * 8 {
      var forged = message
      forged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: NoiseError.authenticationFailed) { try second.open(forged) }
    }
    for count in 0..<message.count {
      #expect(throws: NoiseError.authenticationFailed) { try second.open([UInt8](message.prefix(count))) }
    }
    #expect(throws: NoiseError.authenticationFailed) { try second.open(message + [0]) }
    #expect(throws: NoiseError.authenticationFailed) { try second.open(later) }
    #expect(throws: NoiseError.authenticationFailed) { try first.open(message) }
    #expect(second.openedMessageCount == 0)
    #expect(try second.open(message) == [9, 8, 7])
    #expect(throws: NoiseError.authenticationFailed) { try second.open(message) }
    #expect(try second.open(later) == [6])
  }

  @Test("random bytes are refused", arguments: [11, 12] as [UInt64])
  func randomBytes(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    var (first, second) = try transports()
    for _ in 0..<2000 {
      let forged = generator.bytes(Int.random(in: 0...200, using: &generator))
      #expect(throws: NoiseError.authenticationFailed) { try second.open(forged) }
    }
    #expect(try second.open(try first.seal([1])) == [1])
  }

  @Test("after a rekey, only a side that did the same can continue")
  func rekey() throws {
    var (first, second) = try transports()
    _ = try second.open(try first.seal([1]))
    first.rekeySending()
    let message = try first.seal([2])
    #expect(throws: NoiseError.authenticationFailed) { try second.open(message) }
    second.rekeyReceiving()
    #expect(try second.open(message) == [2])
    // The counter continues, and the other direction keeps its key.
    #expect(first.sealedMessageCount == 2)
    #expect(try first.open(try second.seal([3])) == [3])
  }

  @Test("the last counter is never used, and a rekey does not bring it back")
  func exhaustion() throws {
    let (left, right) = (SecretBytes.random(count: 32), SecretBytes.random(count: 32))
    var first = NoiseTransport(sendingKey: left, receivingKey: right, nonce: .max - 1)
    var second = NoiseTransport(sendingKey: right, receivingKey: left, nonce: .max - 1)
    let last = try first.seal([1])
    #expect(try second.open(last) == [1])
    #expect(throws: NoiseError.nonceExhausted) { try first.seal([2]) }
    #expect(throws: NoiseError.nonceExhausted) { try second.open(last) }
    first.rekeySending()
    #expect(throws: NoiseError.nonceExhausted) { try first.seal([2]) }
  }

  @Test("counters that differ only above 32 bits are distinguished")
  func wideCounter() throws {
    let key = SecretBytes.random(count: 32)
    var low = NoiseTransport(sendingKey: key, receivingKey: key, nonce: 5)
    var high = NoiseTransport(sendingKey: key, receivingKey: key, nonce: 5 + 1 << 32)
    let message = try low.seal([1])
    #expect(throws: NoiseError.authenticationFailed) { try high.open(message) }
    #expect(try low.open(message) == [1])
  }

  @Test("a message can be sealed and opened in place")
  func inPlace() throws {
    var (first, second) = try transports()
    let plaintext = [UInt8](0..<100)
    var memory = plaintext + [UInt8](repeating: 0, count: NoiseTransport.overheadByteCount)
    let sealedCount = try memory.withUnsafeMutableBytes { memory in
      try first.seal(UnsafeRawBufferPointer(rebasing: memory.prefix(100)), into: memory)
    }
    #expect(sealedCount == 116)
    #expect(Array(memory.prefix(100)) != plaintext)
    var other = memory
    #expect(try second.open(memory) == plaintext)
    // The same message, opened in place. The transport has advanced, so it needs the next one.
    other = try first.seal(plaintext)
    let openedCount = try other.withUnsafeMutableBytes { memory in
      try second.open(UnsafeRawBufferPointer(memory), into: memory)
    }
    #expect(Array(other.prefix(openedCount)) == plaintext)
  }
}
