import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite("CPace")
struct CPaceTests {
  struct File: Decodable, Sendable {
    struct Run: Decodable, Sendable {
      let password: Hex
      let channelIdentifier: Hex
      let sessionID: Hex
      let generator: Hex
      let initiatorScalar: Hex
      let initiatorAssociatedData: Hex
      let initiatorShare: Hex
      let responderScalar: Hex
      let responderAssociatedData: Hex
      let responderShare: Hex
      let shared: Hex
      let intermediateSessionKey: Hex
      let sessionIDOutput: Hex
    }
    let runs: [Run]
    let invalidPoints: [Hex]
  }

  static let file = Vectors.own("cpace.json", as: File.self)

  @Test("the vectors exist")
  func coverage() throws {
    let file = try Self.file.get()
    #expect(file.runs.count >= 3 && file.invalidPoints.count >= 5)
  }

  @Test("both sides derive the vector's key", arguments: (try? file.get().runs) ?? [])
  func runs(_ vector: File.Run) throws {
    #expect(
      CPace.generator(
        password: vector.password.secret, channelIdentifier: vector.channelIdentifier.bytes,
        sessionID: vector.sessionID.bytes) == vector.generator.secret)
    let scalar = try CPaceScalar(secret: vector.initiatorScalar.secret)
    #expect(try CPace.multiply(scalar, vector.responderShare.bytes) == vector.shared.secret)
    func begin(_ role: CPaceRole, _ scalar: Hex, _ data: Hex) throws -> CPace {
      try CPace(
        role: role, password: vector.password.secret, channelIdentifier: vector.channelIdentifier.bytes,
        sessionID: vector.sessionID.bytes, associatedData: data.bytes, scalar: CPaceScalar(secret: scalar.secret))
    }
    let initiator = try begin(.initiator, vector.initiatorScalar, vector.initiatorAssociatedData)
    let responder = try begin(.responder, vector.responderScalar, vector.responderAssociatedData)
    #expect(initiator.share == vector.initiatorShare.bytes)
    #expect(responder.share == vector.responderShare.bytes)
    let keys = [
      try initiator.finish(
        remoteShare: responder.share, remoteAssociatedData: vector.responderAssociatedData.bytes),
      try responder.finish(
        remoteShare: initiator.share, remoteAssociatedData: vector.initiatorAssociatedData.bytes),
    ]
    for key in keys {
      #expect(key.intermediateSessionKey == vector.intermediateSessionKey.secret)
      #expect(key.sessionIDOutput == vector.sessionIDOutput.bytes)
    }
  }

  private func begin(
    _ role: CPaceRole, password: [UInt8] = [1, 2, 3], channel: [UInt8] = [4], session: [UInt8] = [5],
    data: [UInt8] = [6]
  ) throws -> CPace {
    try CPace(
      role: role, password: SecretBytes(password), channelIdentifier: channel, sessionID: session, associatedData: data,
      scalar: .generate())
  }

  @Test("invalid points, and points that reveal the key, end the run", arguments: (try? file.get().invalidPoints) ?? [])
  func invalidPoints(_ point: Hex) throws {
    #expect(throws: CPaceError.invalidShare) {
      try begin(.initiator).finish(remoteShare: point.bytes, remoteAssociatedData: [])
    }
  }

  @Test("shares of any other size, and random shares, never trap")
  func randomShares() throws {
    var generator = SeededRandom(seed: 8)
    let run = try begin(.responder)
    for count in [0, 1, 31, 33, 64] {
      #expect(throws: CPaceError.invalidShare) {
        try run.finish(remoteShare: [UInt8](repeating: 3, count: count), remoteAssociatedData: [])
      }
    }
    var refused = 0
    for _ in 0..<500 {
      do throws(CPaceError) {
        _ = try run.finish(remoteShare: generator.bytes(32), remoteAssociatedData: [])
      } catch {
        refused += 1
      }
    }
    // About one in sixteen byte strings names a point.
    #expect(refused > 400 && refused < 500)
  }

  @Test("a difference in any shared input results in different keys")
  func differences() throws {
    let initiator = try begin(.initiator)
    let others = [
      try begin(.responder, password: [1, 2, 4]), try begin(.responder, channel: [9]),
      try begin(.responder, session: []),
      try begin(.initiator),
    ]
    for other in others {
      let mine = try initiator.finish(remoteShare: other.share, remoteAssociatedData: [6])
      let theirs = try other.finish(remoteShare: initiator.share, remoteAssociatedData: [6])
      #expect(mine.intermediateSessionKey != theirs.intermediateSessionKey)
    }
    let responder = try begin(.responder)
    let mine = try initiator.finish(remoteShare: responder.share, remoteAssociatedData: [6])
    #expect(
      try responder.finish(remoteShare: initiator.share, remoteAssociatedData: [6]).intermediateSessionKey
        == mine.intermediateSessionKey)
    #expect(
      try responder.finish(remoteShare: initiator.share, remoteAssociatedData: [7]).intermediateSessionKey
        != mine.intermediateSessionKey)
  }

  @Test("scalars of another size, or zero, are refused")
  func scalars() {
    for bytes in [
      [], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 33), [UInt8](repeating: 0, count: 32),
    ] {
      #expect(throws: CPaceError.invalidScalar) { try CPaceScalar(secret: SecretBytes(bytes)) }
    }
  }
}
