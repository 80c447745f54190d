import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import Synchronization
import Testing

extension ProcessTests {
  /// An active man in the middle between two real nodes: the joiner was sent to him, and every byte
  /// passes by him.
  @Suite struct MiddleTests {
    /// Which frames of either way are the handshake's third message and the inviter's first Noise
    /// message.
    private static func third(_ isTyped: Bool) -> Int { isTyped ? 2 : 1 }
    private static func introduction(_ isTyped: Bool) -> Int { isTyped ? 1 : 0 }

    private func couple(_ lab: ProcessLab) async throws -> (parent: NodeProcess, child: NodeProcess) {
      (try await lab.runningNode(.parent, "Kitchen laptop"), try await lab.runningNode(.child, "Emma's PC"))
    }

    private func failuresLeft(_ parent: NodeProcess) async throws -> [Int?] {
      try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft)
    }

    @Test(
      "A relay of all messages learns nothing, changes nothing, and has no access afterwards",
      arguments: [false, true])
    func relay(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let middle = try Middle(to: try await parent.port())
        let code = try await lab.invite(parent, asks: true)
        let joining = try await child.api.ask(
          Endpoints.join,
          JoinRequest(code: code.text(isTyped: isTyped), peer: middle.address, acceptWithoutAsking: false))
        let atParent = try await lab.asked(code.id, at: parent)
        let atChild = try await lab.asked(joining.pairingID, at: child)
        #expect(atParent.digits == atChild.digits && atParent.digits?.count == 6)
        #expect(atParent.peerName?.text == "Emma's PC" && atChild.peerName?.text == "Kitchen laptop")
        try await lab.answer(atParent, at: parent, yes: true)
        try await lab.answer(atChild, at: child, yes: true)
        #expect(try await lab.follow(joining.pairingID, at: child) { _ in false }.outcome == .ok)
        try await eventually("they are connected") { try await child.isConnected() }
        let ids = (
          try await parent.api.ask(Endpoints.getStatus).deviceID, try await child.api.ask(Endpoints.getStatus).deviceID
        )
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.deviceID) == [ids.1])
        #expect(try await child.api.ask(Endpoints.getDevices).map(\.device.deviceID) == [ids.0])

        // The observed bytes contain no name and no key.
        let keys = try [parent, child].map { try KeyFileStore(path: $0.folder + "/identity.key").load() }
        let names = ["Kitchen", "Emma", try #require(atParent.digits), code.typed, code.pasted].map { Array($0.utf8) }
        let secrets = names + keys.flatMap { [$0.link.publicKey.bytes, $0.identity.publicKey.bytes] }
        let seen = (middle.pairings + middle.sessions).flatMap { recording in
          Direction.allCases.map { recording.bytes($0) }
        }
        #expect(middle.pairings.count == 1 && !middle.sessions.isEmpty)
        for secret in secrets { #expect(seen.allSatisfy { $0.firstRange(of: secret) == nil }) }

        // He knows where they are, and is a stranger there.
        #expect(try await silence(at: try await parent.port(), keys[0].link.publicKey))
        #expect(try await silence(at: try await child.port(), keys[1].link.publicKey))
        middle.end()
        for (node, other) in [(parent, keys[1]), (child, keys[0])] {
          _ = await node.terminate()
          let rows = try node.read { try Row.fetchAll($0, sql: "SELECT link_key, identity_key FROM peer") }
          #expect(rows.map { $0["link_key"] as Data } == [Data(other.link.publicKey.bytes)])
          #expect(rows.map { $0["identity_key"] as Data } == [Data(other.identity.publicKey.bytes)])
        }
      }
    }

    /// Returns whether a node gives no answer to a valid first message from an unknown key.
    private func silence(at port: UInt16, _ key: LinkPublicKey) async throws -> Bool {
      let stream = try ByteStream(port: port)
      let handshake = SessionInitiator(
        own: .generate(), peer: key, pairwiseKey: .generate(), ephemeralKey: .generate())
      stream.write(Preamble.session.bytes)
      stream.write(frame: handshake.firstFrame)
      return await onThread { stream.readToEnd() }.isEmpty
    }

    @Test(
      "A relay that substitutes its own keys is a wrong guess on both sides, and learns nothing",
      arguments: [false, true])
    func substitutedKeys(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let code = try await lab.invite(parent)
        let port = try await parent.port()
        let (asInviter, asJoiner) = (try Attacker(.parent), try Attacker(.child))
        let ends = Mutex<[Attacker.End]>([])
        let guess = try code.guess(isTyped: isTyped)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil, let upstream = try? ByteStream(port: port, from: "127.0.0.9") else { return }
          let end = asInviter.invite(guess, on: stream)
          ends.withLock { $0.append(end) }
          let other = asJoiner.join(guess, on: upstream)
          ends.withLock { $0.append(other) }
        }
        let joined = try await lab.join(child, code.text(isTyped: isTyped), peer: "127.0.0.1:\(trap.port)")
        #expect(joined.outcome == .wrongCode, "\(joined)")
        try await eventually("the parent has counted") { try await failuresLeft(parent) == [4] }
        try await eventually("the middle has given up") { ends.withLock { $0.count } == 2 }
        let (toJoiner, toInviter) = ends.withLock { ($0[0], $0[1]) }
        #expect(toJoiner.outcome == .wrongCode && toJoiner.digits == nil)
        #expect(toInviter.outcome == .wrongCode && toInviter.digits == nil)
        // From the joiner, the attacker has an offer and a first message that it cannot decrypt;
        // from the inviter, a notice.
        #expect(toJoiner.received.map(\.count) == (isTyped ? [56, 82] : [82]))
        #expect(toInviter.received.map(\.count) == (isTyped ? [40, 2] : [2]))

        // A part of it alone does not help either: elements and ephemeral keys of his own, and the
        // rest passed on.
        for direction in Direction.allCases {
          let own = try Self.ownKey(for: direction, isTyped)
          let middle = try Middle(to: port, from: "127.0.0.\(direction == .toInviter ? 10 : 11)") { way, number, body in
            guard way == direction, number == 0 else { return .pass }
            // The run's name stays before an offered share.
            let start = isTyped && way == .toInviter ? 16 : 0
            return .send([body[..<start] + own + body[(start + 32)...]])
          }
          let again = try await lab.join(child, code.text(isTyped: isTyped), peer: middle.address)
          #expect(again.outcome == .wrongCode, "\(direction): \(again)")
        }
        for node in [parent, child] { #expect(try await node.api.ask(Endpoints.getDevices).isEmpty) }
        // The machine that was meant still gets in by the same code.
        #expect(try await lab.join(child, code.text(isTyped: isTyped), peer: "127.0.0.1:\(port)").outcome == .ok)
      }
    }

    /// Returns the value that the attacker substitutes for a share or an ephemeral key.
    private static func ownKey(for direction: Direction, _ isTyped: Bool) throws -> [UInt8] {
      guard isTyped else { return LinkKeyPair.generate().publicKey.bytes }
      return try CPace(
        role: direction == .toInviter ? .initiator : .responder, password: SecretBytes(Array("000000".utf8)),
        channelIdentifier: [], sessionID: SecureRandom.bytes(16), associatedData: [], scalar: .generate()
      ).share
    }

    @Test("Frames of an earlier pairing with the same code are useless on either side", arguments: [false, true])
    func replayedFrames(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let port = try await parent.port()
        let code = try await lab.invite(parent, asks: true)
        let middle = try Middle(to: port)
        let joining = try await child.api.ask(
          Endpoints.join,
          JoinRequest(code: code.text(isTyped: isTyped), peer: middle.address, acceptWithoutAsking: false))
        _ = try await lab.asked(code.id, at: parent)
        _ = try await lab.asked(joining.pairingID, at: child)
        #expect(try await child.api.ask(Endpoints.cancelPairing, joining.pairingID).outcome == .cancelled)
        let earlier = try #require(middle.pairings.first)
        // Not refused by a person, the code is still open.
        _ = try await lab.follow(code.id, at: parent) { $0.phase == .waiting }

        // The recorded frames are sent to the inviter as they are; no question is asked.
        let stream = try ByteStream(port: port, from: "127.0.0.12")
        stream.write(earlier.bytes(.toInviter))
        let answer = await onThread { stream.readToEnd() }
        // An answer that is of this attempt alone, and a notice.
        let recorded = try #require(earlier.bodies(.toJoiner).first)
        #expect(answer.count == 2 + recorded.count + 4 && answer.suffix(2) == [0, 1])
        #expect(answer.firstRange(of: recorded) == nil)
        #expect(try await failuresLeft(parent) == [4])
        #expect(try await parent.api.ask(Endpoints.waitForPairing, (code.id, 0)).digits == nil)

        // To the joiner, in answer to a new attempt.
        let replies = earlier.bodies(.toJoiner)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil else { return }
          for reply in replies {
            guard stream.readFrame() != nil else { return }
            stream.write(frame: reply)
          }
          _ = stream.readToEnd()
        }
        let joined = try await lab.join(child, code.text(isTyped: isTyped), peer: "127.0.0.1:\(trap.port)")
        #expect(joined.outcome == .wrongCode && joined.digits == nil, "\(joined)")
        try await lab.expectNothingHalfDone([parent, child])
      }
    }

    @Test("Frames of two sessions with the same code cannot be mixed", arguments: [false, true])
    func mixedSessions(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let other = try await lab.runningNode(.child, "Ben's PC")
        let port = try await parent.port()
        let code = try await lab.invite(parent)
        let (third, introduction) = (Self.third(isTyped), Self.introduction(isTyped))
        let text = code.text(isTyped: isTyped)

        // One child's attempt ends where its third message would have been heard.
        let first = try Middle(to: port, from: "127.0.0.20") { way, number, _ in
          way == .toInviter && number == third ? .cut : .pass
        }
        #expect(try await lab.join(other, text, peer: first.address).outcome == .network)
        let kept = try #require(first.pairings.first)

        // Each of its frames in its place in the other child's attempt.
        for (way, frame, outcome) in [
          (Direction.toInviter, third, PairingOutcome.wrongCode), (.toJoiner, introduction, .wrongCode),
          (.toInviter, introduction, .wrongCode),
        ] {
          let body = kept.bodies(way)[frame]
          let middle = try Middle(to: port, from: "127.0.0.2\(1 + frame)") { direction, number, _ in
            direction == way && number == frame ? .send([body]) : .pass
          }
          let joined = try await lab.join(child, text, peer: middle.address)
          #expect(joined.outcome == outcome && joined.digits == nil, "frame \(frame) \(way.rawValue): \(joined)")
        }
        for node in [parent, child, other] { #expect(try await node.api.ask(Endpoints.getDevices).isEmpty) }
        #expect(try await lab.join(child, text, peer: "127.0.0.1:\(port)").outcome == .ok)
      }
    }

    @Test("A relay that knows the typed code shows different digits to both people, and a no leaves nothing behind")
    func knownTypedCode() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let port = try await parent.port()
        let code = try await lab.invite(parent, asks: true)
        let stolen = try PairingCredential(code.typed)
        let (asInviter, asJoiner) = (
          try Attacker(.parent, name: "Kitchen laptop"), try Attacker(.child, name: "Emma's PC")
        )
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil, let upstream = try? ByteStream(port: port, from: "127.0.0.30") else { return }
          trapJoin(asJoiner, stolen, upstream)
          _ = asInviter.invite(stolen, on: stream)
        }
        let joining = try await child.api.ask(
          Endpoints.join, JoinRequest(code: code.typed, peer: "127.0.0.1:\(trap.port)", acceptWithoutAsking: false))
        let atParent = try await lab.asked(code.id, at: parent)
        let atChild = try await lab.asked(joining.pairingID, at: child)
        #expect(
          atParent.peerName?.text == "Emma's PC" && atChild.peerName?.text == "Kitchen laptop", "names are easily had")
        #expect(atParent.digits != atChild.digits, "one run in a million may show the same")
        try await lab.answer(atParent, at: parent, yes: false)
        try await lab.answer(atChild, at: child, yes: false)
        #expect(try await lab.follow(joining.pairingID, at: child) { _ in false }.outcome == .refused)
        #expect(try await parent.api.ask(Endpoints.getPairings).isEmpty, "a no closes the code")
        try await lab.expectNothingHalfDone([parent, child])
      }
    }

    @Test(
      "A relay that knows the pasted code cannot pose as the inviter, and is shown as a joiner before it is accepted")
    func knownPastedCode() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let port = try await parent.port()
        let code = try await lab.invite(parent, asks: true)
        let stolen = try PairingCredential(code.pasted)
        let poser = try Attacker(.parent, name: "Kitchen laptop")
        let end = Mutex<Attacker.End?>(nil)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil else { return }
          let result = poser.invite(stolen, on: stream)
          end.withLock { $0 = result }
        }
        let joined = try await lab.join(child, code.pasted, peer: "127.0.0.1:\(trap.port)")
        #expect(joined.outcome == .wrongCode, "\(joined)")
        try await eventually("the poser has given up") { end.withLock { $0 != nil } }
        let posed = try #require(end.withLock { $0 })
        #expect(posed.received.map(\.count) == [82], "the joiner has told a hash of its keys and nothing else")

        let thief = try Attacker(.child, name: "Emma's tablet")
        let stream = try ByteStream(port: port, from: "127.0.0.31")
        trapJoin(thief, stolen, stream)
        let asked = try await lab.asked(code.id, at: parent)
        #expect(asked.peerName?.text == "Emma's tablet")
        try await lab.answer(asked, at: parent, yes: false)
        try await lab.expectNothingHalfDone([parent, child])
      }
    }

    @Test("An attacker that knows the check symbol of a typed code has five guesses on each side")
    func knownCheckSymbol() async throws {
      var random = SeededRandom()
      print("MiddleTests.knownCheckSymbol: \(random.note)")
      try await ProcessLab.run { lab in
        let (parent, child) = try await couple(lab)
        let port = try await parent.port()
        let code = try await lab.invite(parent)
        let guesses = try code.guessesWithItsCheckSymbol(10, &random)
        let attacker = try Attacker(.child)
        let left = Mutex(Array(guesses[5...]))
        let runs = Mutex(0)
        let trap = try Interceptor()
        let inviter = try Attacker(.parent)
        trap.start { stream in
          guard stream.read(6) != nil, let guess = left.withLock({ $0.popLast() }) else { return }
          let end = inviter.invite(guess, on: stream)
          // An offer, and the first message on which he tests his guess.
          runs.withLock { $0 += end.received.count - 1 }
        }
        for number in 1...7 {
          let joined = try await lab.join(child, code.typed, peer: "127.0.0.1:\(trap.port)")
          #expect(joined.outcome == .wrongCode, "\(joined)")
          #expect(trap.count == min(number, 5), "a sixth run is not begun")
        }
        #expect(runs.withLock { $0 } == 5)
        for (number, guess) in guesses[..<5].enumerated() {
          let stream = try ByteStream(port: port, from: "127.0.0.4\(number)")
          let end = await onThread { attacker.join(guess, on: stream) }
          #expect(end.outcome == .wrongCode && end.digits == nil)
        }
        #expect(try await parent.api.ask(Endpoints.getPairings).isEmpty, "spent by five")
        let late = try ByteStream(port: port, from: "127.0.0.46")
        let end = await onThread { attacker.join(guesses[0], on: late) }
        #expect(end.outcome == .expired && end.received.isEmpty, "silence")
        try await lab.expectNothingHalfDone([parent, child])
      }
    }
  }
}

/// Joins on a thread of its own, and leaves the question open for as long as the other side does.
private func trapJoin(_ attacker: Attacker, _ code: PairingCredential, _ stream: ByteStream) {
  Task.detached { await onThread { attacker.join(code, on: stream) } }
}
