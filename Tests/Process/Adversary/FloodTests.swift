import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of ten thousand wrong attempts at one code.
  @Suite struct FloodTests {
    private static let connections = 50
    private static let attempts = 10_000
    /// 50 connections at a time with buffers of at most 4 KiB each need well under one MiB.
    ///
    /// The limit also allows for malloc's memory of each thread, and for pages of a debug build
    /// that are touched late; a leak of 4 KiB for each attempt would be 39 MiB.
    private static let allowedGrowth: Int64 = 32 << 20

    @Test(
      "10,000 wrong attempts from 50 connections count as five failures, close the code, and do not harm the parent")
    func flood() async throws {
      try await ProcessLab.run { lab in
        // A port that the kernel assigns to no other process while the parent is down.
        let parent = try await lab.runningNode(
          .parent, "Kitchen laptop", ["--no-discovery", "--port", "\(try lab.freePort())"])
        let child = try await lab.runningNode(.child, "Emma's PC")
        let port = try await parent.port()
        let code = try await lab.invite(parent)

        // A first wave until some are counted, then a crash, which does not give the guesses back.
        let first = Flood(code: code, port: port, attempts: Self.attempts, connections: Self.connections)
        async let wave: Void = first.run()
        try await eventually("two are counted") {
          ((try? await parent.api.ask(Endpoints.getPairings))?.first?.failuresLeft ?? 5) <= 3
        }
        await parent.kill()
        let counted = try failures(parent)
        try await parent.start()
        #expect(counted >= 2)
        #expect(try await (parent.api.ask(Endpoints.getPairings).first?.failuresLeft ?? 0) <= 5 - counted)
        // Memory that is allocated only once is not counted.
        try await eventually("it is spent") { try await parent.api.ask(Endpoints.getPairings).isEmpty }
        let before = try await parent.api.ask(Endpoints.getStatus).residentBytes
        var answered = 0
        while !first.isOver {
          #expect(try await parent.api.ask(Endpoints.getStatus).name.text == "Kitchen laptop")
          answered += 1
        }
        await wave
        let after = try await parent.api.ask(Endpoints.getStatus).residentBytes
        print(
          "FloodTests: \(first.made) attempts, status answered \(answered) times, "
            + "resident \(before >> 10) KiB before and \(after >> 10) KiB after")
        #expect(first.made == Self.attempts)
        #expect(answered > 0)
        #expect(after - before < Self.allowedGrowth, "\(before) bytes grew to \(after)")
        #expect(first.largestAnswer <= 2 + 40 + 4, "an answer that says nothing, and a notice")

        // A new code works immediately afterwards.
        let next = try await lab.invite(parent)
        #expect(try await lab.join(child, next.typed, peer: "127.0.0.1:\(port)").outcome == .ok)
        // The one that was counted last when the parent was killed may not have been written to the
        // log.
        #expect((4...5).contains(parent.log.ranges(of: "a wrong pairing code was tried").count))
        await parent.kill()
        #expect(try failures(parent, code.id) == 5)
        let outcome = try parent.read {
          try String.fetchOne($0, sql: "SELECT outcome FROM invitation WHERE pairing_id = ?", arguments: [code.id])
        }
        #expect(outcome == PairingOutcome.wrongCode.rawValue)
        #expect(try parent.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer") } == 1)
      }
    }

    private func failures(_ parent: NodeProcess, _ id: String? = nil) throws -> Int {
      try parent.read { database in
        try Int.fetchOne(
          database, sql: "SELECT failures FROM invitation WHERE pairing_id = ? OR ? IS NULL", arguments: [id, id])
      } ?? 0
    }
  }
}
