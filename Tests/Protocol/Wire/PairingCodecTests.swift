import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct PairingCodecTests {
  @Test func everyMessageComesBackAsItWent() throws {
    var random = SeededRandom()
    for _ in 0..<300 {
      let opening = PairingOpening(commitment: random.bytes(32))
      #expect(try PairingCodec.opening(PairingCodec.encode(opening)) == opening)
      let introduction = WireSamples.introduction(&random)
      #expect(try PairingCodec.introduction(PairingCodec.encode(introduction)) == introduction, "\(random.note)")
      let step = WireSamples.step(&random)
      #expect(try PairingCodec.step(PairingCodec.encode(step)) == step, "\(random.note)")
    }
  }

  @Test func fieldsHaveTheNumbersOfTheSpecification() throws {
    let key = [UInt8](repeating: 7, count: 32)
    let introduction = PairingIntroduction(identityKey: key, name: "Emma", role: .child, random: key, versions: 1...3)
    let raw = RawMessage().adding(1, bytes: key).adding(2, text: "Emma").adding(3, number: 2).adding(4, bytes: key)
      .adding(5, number: 1).adding(6, number: 3)
    #expect(PairingCodec.encode(introduction) == raw.bytes)
    #expect(PairingCodec.encode(PairingOpening(commitment: key)) == RawMessage().adding(1, bytes: key).bytes)
    let signature = [UInt8](repeating: 9, count: 64)
    #expect(
      PairingCodec.encode(.proof(signature: signature))
        == RawMessage().adding(1, message: RawMessage().adding(1, bytes: signature)).bytes)
    #expect(
      PairingCodec.encode(.commit(discoveryKey: key))
        == RawMessage().adding(2, message: RawMessage().adding(1, bytes: key)).bytes)
    #expect(PairingCodec.encode(.commitAcknowledged) == RawMessage().adding(3, message: RawMessage()).bytes)
    #expect(PairingCodec.encode(.done) == RawMessage().adding(4, message: RawMessage()).bytes)
    #expect(
      PairingCodec.encode(.abort(.refused))
        == RawMessage().adding(5, message: RawMessage().adding(1, text: "refused")).bytes)
  }

  @Test func fieldsOfLaterVersionsAreLeftOut() throws {
    let key = [UInt8](repeating: 7, count: 32)
    let opening = RawMessage().adding(1, bytes: key).adding(90, text: "later").adding(91, number: 5).adding(
      92, fixed: 1)
    #expect(try PairingCodec.opening(opening.bytes) == PairingOpening(commitment: key))
    #expect(try PairingCodec.step(RawMessage().adding(4, message: RawMessage()).adding(90, text: "x").bytes) == .done)
  }

  @Test(arguments: [0, 1, 31, 33, 64]) func keysOfAnotherSizeAreRefused(size: Int) {
    let wrong = [UInt8](repeating: 7, count: size)
    let right = [UInt8](repeating: 7, count: 32)
    #expect(throws: WireError.self) { try PairingCodec.opening(RawMessage().adding(1, bytes: wrong).bytes) }
    for (identity, random) in [(wrong, right), (right, wrong)] {
      let raw = RawMessage().adding(1, bytes: identity).adding(3, number: 2).adding(4, bytes: random).adding(
        5, number: 1
      )
      .adding(6, number: 1)
      #expect(throws: WireError.self) { try PairingCodec.introduction(raw.bytes) }
    }
    let commit = RawMessage().adding(2, message: RawMessage().adding(1, bytes: wrong))
    #expect(throws: WireError.self) { try PairingCodec.step(commit.bytes) }
  }

  @Test(arguments: [0, 63, 65]) func signaturesOfAnotherSizeAreRefused(size: Int) {
    let proof = RawMessage().adding(1, message: RawMessage().adding(1, bytes: [UInt8](repeating: 1, count: size)))
    #expect(throws: WireError.self) { try PairingCodec.step(proof.bytes) }
  }

  @Test func rolesAndVersionsOutOfRangeAreRefused() {
    let key = [UInt8](repeating: 7, count: 32)
    func raw(role: UInt64, least: UInt64, greatest: UInt64) -> [UInt8] {
      RawMessage().adding(1, bytes: key).adding(3, number: role).adding(4, bytes: key).adding(5, number: least)
        .adding(6, number: greatest).bytes
    }
    #expect(throws: Never.self) { try PairingCodec.introduction(raw(role: 1, least: 1, greatest: 1)) }
    #expect(throws: WireError.self) { try PairingCodec.introduction(raw(role: 0, least: 1, greatest: 1)) }
    #expect(throws: WireError.self) { try PairingCodec.introduction(raw(role: 3, least: 1, greatest: 1)) }
    #expect(throws: WireError.self) { try PairingCodec.introduction(raw(role: 1, least: 2, greatest: 1)) }
  }

  @Test func stepsOfUnknownKindAreRefusedAndUnknownOutcomesAreRefusals() throws {
    #expect(throws: WireError.self) { try PairingCodec.step([]) }
    #expect(throws: WireError.self) { try PairingCodec.step(RawMessage().adding(6, message: RawMessage()).bytes) }
    for word in ["", "later-word", "OK"] {
      let raw = RawMessage().adding(5, message: RawMessage().adding(1, text: word))
      #expect(try PairingCodec.step(raw.bytes) == .abort(.refused))
    }
  }
}
