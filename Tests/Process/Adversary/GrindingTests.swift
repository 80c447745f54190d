import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyProtocol

extension ProcessTests {
  /// Tests of a search for equal digits on both screens, by an attacker between the machines that
  /// has the typed code.
  @Suite struct GrindingTests {
    /// Three digits take a thousand tries, six a million: enough to see that it could be done, if
    /// it were allowed.
    private static let wanted: Substring = "777"

    @Test(
      "A joiner that searches for digits after seeing the inviter's number is a wrong guess, and no question is asked"
    )
    func byTheJoiner() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let code = try await lab.invite(parent, asks: true)
        guard case .typed(let typed) = try PairingCredential(code.typed) else { return }
        let stream = try ByteStream(port: try await parent.port())
        let said = try await onThread {
          Result { try GrindingPeer(.child, typed).join(on: stream, digitsEnd: Self.wanted) }
        }.get()
        #expect(said == PairingNotice.wrongCode.frame)
        try await eventually("it is counted") {
          try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [4]
        }
        #expect(try await parent.api.ask(Endpoints.waitForPairing, (code.id, 0)).digits == nil)
        try await lab.expectNothingHalfDone([parent])
      }
    }

    @Test("An inviter that searches for digits after it has seen the joiner's number cannot change its own number")
    func byTheInviter() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.invite(parent, asks: true)
        guard case .typed(let typed) = try PairingCredential(code.typed) else { return }
        let said = Mutex<Result<(before: Int, after: [UInt8]?), any Error>?>(nil)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil else { return }
          let result = Result { try GrindingPeer(.parent, typed).invite(on: stream, digitsEnd: Self.wanted) }
          said.withLock { $0 = result }
        }
        let joining = try await child.api.ask(
          Endpoints.join, JoinRequest(code: code.typed, peer: "127.0.0.1:\(trap.port)", acceptWithoutAsking: false))
        let ended = try await lab.follow(joining.pairingID, at: child) { $0.phase == .asking }
        #expect(ended.outcome == .network && ended.digits == nil, "\(ended)")
        try await eventually("the inviter has given up") { said.withLock { $0 != nil } }
        let heard = try #require(said.withLock { $0 }).get()
        #expect(heard.before == 34, "before the inviter's number it has a hash, and nothing to look with")
        #expect(heard.after == nil)
        try await lab.expectNothingHalfDone([child, parent])
      }
    }

    /// The best that he can do in either order of play: his number to one side is out before the
    /// other's is known.
    @Test("A side that chooses first gains nothing by a search, while one that chose last would find digits every time")
    func byComputation() throws {
      var random = SeededRandom()
      let parties = (0..<4).map { number in
        Samples.party(number.isMultiple(of: 2) ? .parent : .child, name: "\(number)", &random)
      }
      let (inviter, joiner, asInviter, asJoiner) = (parties[0].keys, parties[1].keys, parties[2].keys, parties[3].keys)
      // Two digits for the six, so that a few hundred games say as much as millions.
      func shown(_ inviter: DeviceKeys, _ joiner: DeviceKeys, _ first: [UInt8], _ second: [UInt8]) -> Substring {
        PairingSecrets.digits(inviter: inviter, joiner: joiner, inviterRandom: first, joinerRandom: second).suffix(2)
      }
      var (matches, matchesOfTheLast) = (0, 0)
      let games = 300
      for game in 0..<games {
        let (ofInviter, ofJoiner) = (random.bytes(32), random.bytes(32))
        let target: Substring
        let chosen: [UInt8]
        let matched: Bool
        if game.isMultiple(of: 2) {
          // The inviter's side is played out first; what he then says to the joiner is out before
          // the joiner's number.
          target = shown(inviter, asJoiner, ofInviter, random.bytes(32))
          let guessed = random.bytes(32)
          chosen = Self.search(&random) { shown(asInviter, joiner, $0, guessed) == target }
          matched = shown(asInviter, joiner, chosen, ofJoiner) == target
          let last = Self.search(&random) { shown(asInviter, joiner, $0, ofJoiner) == target }
          if shown(asInviter, joiner, last, ofJoiner) == target { matchesOfTheLast += 1 }
        } else {
          // The joiner's first; what he then commits to at the inviter is out before the inviter's
          // number.
          target = shown(asInviter, joiner, random.bytes(32), ofJoiner)
          let guessed = random.bytes(32)
          chosen = Self.search(&random) { shown(inviter, asJoiner, guessed, $0) == target }
          matched = shown(inviter, asJoiner, ofInviter, chosen) == target
          let last = Self.search(&random) { shown(inviter, asJoiner, ofInviter, $0) == target }
          if shown(inviter, asJoiner, ofInviter, last) == target { matchesOfTheLast += 1 }
        }
        if matched { matches += 1 }
      }
      // One in a hundred by chance: three are to be expected, and twenty never come.
      #expect(matches < 20, "\(random.note)")
      #expect(matchesOfTheLast == games, "\(random.note)")
    }

    private static func search(_ random: inout SeededRandom, _ fits: ([UInt8]) -> Bool) -> [UInt8] {
      for _ in 0..<10_000 {
        let candidate = random.bytes(32)
        if fits(candidate) { return candidate }
      }
      return random.bytes(32)
    }
  }
}
