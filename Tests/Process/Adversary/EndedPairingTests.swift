import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the record that a node keeps of ended pairings.
  @Suite struct EndedPairingTests {
    @Test(
      "A node remembers how the latest pairings ended, and forgets the oldest, however many there were")
    func remembered() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let api = try await parent.api
        var ids: [String] = []
        // The node remembers 64.
        for _ in 0..<72 {
          let opened = try await api.ask(Endpoints.invite, InviteRequest())
          #expect(try await api.ask(Endpoints.cancelPairing, opened.pairingID).outcome == .cancelled)
          ids.append(opened.pairingID)
        }
        for id in ids.suffix(64) { #expect(try await api.ask(Endpoints.waitForPairing, (id, 0)).outcome == .cancelled) }
        await #expect(throws: LocalAPIError.self) { try await api.ask(Endpoints.waitForPairing, (ids[0], 0)) }
      }
    }
  }
}
