import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The short code between real nodes.
  @Suite struct TypedCodeTests {
    private func invite(_ parent: NodeProcess, for child: String? = nil) async throws -> (typed: String, pasted: String)
    {
      let invited = try await parent.api.ask(
        Endpoints.invite, InviteRequest(childName: child, acceptWithoutAsking: true))
      return (try #require(invited.typedCode), try #require(invited.code))
    }

    /// Returns the code with one secret symbol changed and a valid check symbol, which makes it a
    /// wrong guess and not a typing error.
    private func guess(_ code: String, _ offset: Int) -> String {
      let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
      var values = code.filter { $0 != "-" }.compactMap { symbols.firstIndex(of: $0) }
      values[4] = (values[4] + offset) % 32
      var (sum, factor) = (0, 2)
      for value in values.dropLast().reversed() {
        sum += factor * value / 32 + factor * value % 32
        factor = 3 - factor
      }
      values[8] = (32 - sum % 32) % 32
      return String(values.map { symbols[$0] })
    }

    @Test("Two open codes are announced, and each typed code leads to its own machine over mDNS")
    func overMulticast() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        let first = try await invite(parent, for: "Emma")
        let second = try await invite(parent, for: "Ben")
        let prefixes = [first, second].map { String($0.typed.prefix(2)) }.sorted()
        var seen = NearbyInvitations.none(after: 0)
        while seen.invitations.map(\.prefix) != prefixes {
          seen = try await child.api.ask(Endpoints.waitForInvitations, seen.change)
        }
        #expect(seen.invitations.allSatisfy { !$0.addresses.isEmpty })
        let joined = try await lab.join(child, first.typed.lowercased())
        #expect(joined.outcome == .ok, "\(joined)")
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.childName) == ["Emma"])
        let open = try await parent.api.ask(Endpoints.getPairings)
        #expect(open.map(\.prefix) == [String(second.typed.prefix(2))] && open.map(\.part) == [.inviter])
        #expect(open.allSatisfy { $0.code == nil && $0.typedCode == nil }, "no code is ever told twice")
      }
    }

    @Test("Codes that are opened at the same time are at most 16, and each has a discriminator of its own")
    func atOnce() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", ["--no-discovery"])
        for _ in 0..<4 {
          let codes = try await withThrowingTaskGroup(of: PairingProgress?.self) { group in
            for _ in 0..<(2 * Limits.invitations) {
              group.addTask {
                do { return try await parent.api.ask(Endpoints.invite, InviteRequest()) } catch let error
                  as LocalAPIError
                {
                  #expect(error.code == .limit)
                  return nil
                }
              }
            }
            return try await group.reduce(into: [PairingProgress]()) { codes, code in if let code { codes.append(code) }
            }
          }
          #expect(codes.count == Limits.invitations)
          #expect(Set(codes.map(\.prefix)).count == codes.count)
          for code in codes { _ = try await parent.api.ask(Endpoints.cancelPairing, code.pairingID) }
        }
      }
    }

    @Test("Five wrong guesses close the code on both sides, even over restarts, and no further attempt is made")
    func guesses() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await invite(parent)
        let peer = "127.0.0.1:\(try await parent.port())"
        for offset in 1...3 {
          let ended = try await lab.join(child, guess(code.typed, offset), peer: peer)
          #expect(ended.outcome == .wrongCode, "\(ended)")
          #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [5 - offset])
        }
        try await child.restart()
        try await parent.restart()
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [2])
        for offset in 4...5 {
          #expect(try await lab.join(child, guess(code.typed, offset), peer: peer).outcome == .wrongCode)
        }
        #expect(try await parent.api.ask(Endpoints.getPairings).isEmpty, "the invitation is spent")
        // Were it tried, the answer would be silence, and the outcome another one.
        #expect(try await lab.join(child, code.typed, peer: peer).outcome == .wrongCode)
        #expect(try await lab.join(child, code.pasted, peer: peer).outcome == .expired)
        for node in [parent, child] { #expect(try await node.api.ask(Endpoints.getDevices).isEmpty) }
      }
    }

    @Test("The right code pairs after wrong ones, and the runs that the inviter answered are not counted")
    func rightInTheEnd() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let peer = "127.0.0.1:\(try await parent.port())"
        let code = try await invite(parent)
        #expect(try await lab.join(child, guess(code.typed, 9), peer: peer).outcome == .wrongCode)
        #expect(try await lab.join(child, code.typed, peer: peer).outcome == .ok)
        try await eventually("they are connected") { try await child.isConnected() }
        _ = await child.terminate()
        let runs = try child.read { try Int.fetchAll($0, sql: "SELECT runs FROM pairing_run") }
        #expect(runs == [1])
        _ = await parent.terminate()
        let secrets = try parent.read { database in
          try Int.fetchOne(
            database,
            sql: "SELECT COUNT(*) FROM invitation WHERE length(typed_secret) > 0 OR secret <> zeroblob(16)")
        }
        #expect(secrets == 0, "the secrets of closed codes are erased")
      }
    }

    @Test("The same code again on the machine that it has paired is answered with that fact")
    func onceMore() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.code(from: parent)
        #expect(try await lab.join(child, code).outcome == .ok)
        let again = try await lab.join(child, code)
        #expect(again.outcome == .alreadyPaired, "\(again)")
        try await eventually("they are connected") { try await child.isConnected() }
      }
    }
  }
}
