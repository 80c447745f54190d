import LatchkeyProtocol
import LatchkeyTestSupport

/// The frames of a session, from a peer that breaks every rule and from the network.
///
/// The first byte chooses between the two sides of an open session and the two of its handshake.
enum SessionTarget {
  static func seeds() -> [[UInt8]] {
    var random = SeededRandom(seed: 3)
    let hello: [UInt8] = [1, 1, 0, 1, 2, 0, 16, 2, 1, 5, 4, 1, 5, 4]
    var seeds: [[UInt8]] = [
      [2, 0, 0, 0], [2, 1, 9, 1], [2, 2, 3, 1, 2, 3], [2, 3, 0], [2, 2, 0], [3, 0, 0, 0], [3, 1, 40, 2],
      [3, 2, 2, 1, 1],
      [3, 3, 48], [0] + hello + [6, 20, 10, 7, 7, 8, 2, 1, 9], [1] + hello + hello, [0, 10],
      [1] + hello + [4, 9, 3, 2, 5],
      [0] + hello + [5, 8, 1, 3, 0, 8, 1, 6, 14, 220, 8, 1, 1, 8],
    ]
    for batch in SampleMessages.batches(&random) {
      let plaintext = SessionCodec.encode(batch)
      if plaintext.count < 256 { seeds.append([1] + hello + [0, UInt8(plaintext.count)] + plaintext) }
    }
    return seeds
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    switch script.choice(4) {
    case 0: try run(SessionMeddling(victimCalled: false), &script)
    case 1: try run(SessionMeddling(victimCalled: true), &script)
    case 2: try checkFirstFrame(&script)
    default: try checkAnswer(&script)
    }
  }

  private static func run(_ meddling: SessionMeddling, _ script: inout ByteScript) throws(FuzzFault) {
    var meddling = meddling
    while !script.isEmpty, !meddling.isClosed { try meddling.step(&script) }
  }

  /// Checks that the callee accepts a valid first frame of any caller, names the caller correctly,
  /// and accepts no other frame.
  private static func checkFirstFrame(_ script: inout ByteScript) throws(FuzzFault) {
    let keys = SessionKeys.shared
    let frame: [UInt8]
    var expected: Result<LinkPublicKey, SessionFault> = .failure(.authentication)
    var hostile: NoiseHandshake?
    switch script.choice(4) {
    case 0:
      var altered = keys.initiator.firstFrame
      let isAltered = alter(&altered, &script)
      frame = altered
      if !isAltered { expected = .success(keys.caller.publicKey) }
    case 1: frame = script.remainder()
    case 2:
      let payload = script.block()
      (frame, hostile) = call(from: keys.stranger, payload: payload)
      if payload.isEmpty { expected = .success(keys.stranger.publicKey) }
    default:
      frame = call(from: keys.callee, payload: []).frame
      expected = .failure(.ownKey)
    }
    let responder: SessionResponder
    do throws(SessionFault) {
      responder = try SessionResponder(own: keys.callee, ephemeralKey: keys.ephemeral.callee, firstFrame: frame)
    } catch {
      guard case .failure(let fault) = expected, fault == error else { throw FuzzFault("refused with \(error)") }
      return
    }
    guard case .success(let caller) = expected, caller == responder.caller else {
      throw FuzzFault("a first frame was taken as of \(responder.caller)")
    }
    // Without the pairwise key, the answer cannot be used.
    guard var hostile else { return }
    hostile.providePresharedKey(keys.older)
    let answer = responder.accept(pairwiseKey: keys.pairwise).frame
    if (try? hostile.readMessage(answer)) != nil { throw FuzzFault("an answer was read without its key") }
  }

  private static func call(from own: LinkKeyPair, payload: [UInt8]) -> (frame: [UInt8], handshake: NoiseHandshake) {
    let keys = SessionKeys.shared
    do {
      var handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: own, ephemeralKey: keys.ephemeral.caller,
        remoteStatic: keys.callee.publicKey, presharedKeys: [])
      return (try handshake.writeMessage(payload: payload), handshake)
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Checks that the caller accepts an answer that the right key made, without a payload, and no
  /// other.
  private static func checkAnswer(_ script: inout ByteScript) throws(FuzzFault) {
    let keys = SessionKeys.shared
    var frame = keys.answer
    var place: Int?
    switch script.choice(4) {
    case 0: if !alter(&frame, &script) { place = 1 }
    case 1: frame = script.remainder()
    default:
      let key = script.choice(3)
      let payload = script.block()
      frame = answer(with: [keys.older, keys.pairwise, keys.foreign][key], payload: payload)
      if key < 2, payload.isEmpty { place = key }
    }
    let found: Int?
    do throws(SessionFault) { found = try keys.initiator.answered(frame).key } catch {
      try require(error == .authentication, "an answer was refused with \(error)")
      found = nil
    }
    try require(found == place, "an answer was taken with key \(found ?? -1) where \(place ?? -1) is right")
  }

  private static func answer(with key: PresharedKey, payload: [UInt8]) -> [UInt8] {
    let keys = SessionKeys.shared
    do {
      var handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .responder, prologue: prologue, staticKey: keys.callee,
        ephemeralKey: keys.ephemeral.callee, remoteStatic: nil, presharedKeys: [])
      _ = try handshake.readMessage(keys.initiator.firstFrame)
      handshake.providePresharedKey(key)
      return try handshake.writeMessage(payload: payload)
    } catch { preconditionFailure("the first frame is the caller's own: \(error)") }
  }

  /// Flips bits of a frame, cuts it or adds to it; returns `false` if it is unchanged.
  private static func alter(_ frame: inout [UInt8], _ script: inout ByteScript) -> Bool {
    let before = frame
    switch script.choice(4) {
    case 0: break
    case 1:
      let place = script.choice(frame.count)
      frame[place] ^= script.byte()
    case 2: frame.removeLast(1 + script.choice(frame.count))
    default: frame += script.block()
    }
    return frame != before
  }

  /// The prologue of Protocol/04-session.md §2.
  private static let prologue = Array("latchkey session v1".utf8) + Preamble.session.bytes
}
