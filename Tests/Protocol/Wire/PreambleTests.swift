import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct PreambleTests {
  @Test func purposesAreSixBytes() throws {
    #expect(Preamble.session.bytes == [0x4C, 0x4B, 1, 2, 0, 0])
    #expect(Preamble.pairing(discriminator: 0x29A).bytes == [0x4C, 0x4B, 1, 1, 0x02, 0x9A])
    #expect(Preamble.typedPairing(discriminator: 0x29A).bytes == [0x4C, 0x4B, 1, 3, 0x02, 0x9A])
    #expect(try Preamble(Preamble.session.bytes) == .session)
    for discriminator in UInt16(0)..<1_024 {
      for preamble in [Preamble.pairing(discriminator: discriminator), .typedPairing(discriminator: discriminator)] {
        #expect(preamble.bytes.count == Preamble.size)
        #expect(try Preamble(preamble.bytes) == preamble)
      }
    }
  }

  @Test(
    arguments: [
      [], [0x4C], [0x4C, 0x4B, 1, 2, 0], [0x4C, 0x4B, 1, 2, 0, 0, 0], [0x4B, 0x4C, 1, 2, 0, 0],
      [0x4C, 0x4B, 0, 2, 0, 0],
      [0x4C, 0x4B, 2, 2, 0, 0], [0x4C, 0x4B, 1, 0, 0, 0], [0x4C, 0x4B, 1, 3, 4, 0], [0x4C, 0x4B, 1, 4, 0, 0],
      [0x4C, 0x4B, 1, 2, 0, 1],
      [0x4C, 0x4B, 1, 1, 4, 0], [0x47, 0x45, 0x54, 0x20, 0x2F, 0x20],
    ] as [[UInt8]])
  func anythingElseIsRefused(bytes: [UInt8]) {
    #expect(throws: FrameError.badPreamble) { try Preamble(bytes) }
  }

  @Test func whateverIsReadIsWrittenTheSame() {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      var bytes = Preamble.pairing(discriminator: UInt16(random.below(1_024))).bytes
      bytes[random.below(6)] = UInt8(random.below(256))
      guard let preamble = try? Preamble(bytes) else { continue }
      #expect(preamble.bytes == bytes, "\(random.note)")
    }
  }
}
