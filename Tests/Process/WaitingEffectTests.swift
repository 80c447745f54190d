import Foundation
import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Effects of commands that something outside the database carries out, over the death of the
  /// node.
  ///
  /// The child's machine runs `latchkey-waiting-node`, which knows a kind of command that waits for
  /// a signal.
  @Suite struct WaitingEffectTests {
    @Test(
      "An effect under way survives kill -9, is carried out again, and is answered once",
      .enabled(if: WaitingProgram.isBuilt, "latchkey-waiting-node is not among the programs."))
    func overDeaths() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        await child.kill()
        let peer = try RawPeer(of: parent)
        await child.use(program: WaitingProgram.path)
        try await child.start()

        let id = CommandID(milliseconds: 1, random: SecureRandom.bytes(10))
        let body = RawMessage().adding(1, bytes: id.bytes).adding(2, bytes: peer.identity.bytes)
          .adding(4, text: "waitForSignal").adding(5, message: RawMessage())
        func send(epoch: UInt64) async throws -> CommandReceipt.Outcome? {
          let item = DeliveryItem(sequence: 1, kind: .command, itemID: id.bytes, body: body.bytes)
          let run = ItemRun(streamClass: .command, epoch: epoch, items: [item])
          return try await peer.receipts(1, port: child.port(), sending: [SessionBatch(runs: [run])])[id]
        }
        #expect(try await send(epoch: 7) == .underWay(waitsFor: "a signal"))
        try await eventually("the effect is begun") { try Self.carried(child).count == 1 }
        #expect(try Self.pending(child) == 1)

        // Dead while it is under way: the next process takes it up, and so does the one after it.
        for deaths in 1...2 {
          await child.kill()
          #expect(try Self.pending(child) == 1)
          try await child.start()
          try await eventually("the effect is begun again") { try Self.carried(child).count == deaths + 1 }
        }
        #expect(try Set(Self.carried(child)).count == 3)
        // The same command under another number is the same command.
        #expect(try await send(epoch: 8) == .underWay(waitsFor: "a signal"))

        await child.signal(SIGUSR1)
        try await eventually("the outcome is durable") { try Self.pending(child) == 0 }
        await child.kill()
        try await child.start()
        try await eventually("it is told as done") { try await send(epoch: 9) == .executed(StateInForce(Done())) }
        // What has an outcome is not carried out again.
        #expect(try Self.carried(child).count == 3)
        await child.kill()
      }
    }

    /// The processes that have begun to carry the effect out.
    private static func carried(_ node: NodeProcess) throws -> [String] {
      guard FileManager.default.fileExists(atPath: node.folder + "/carried") else { return [] }
      return try String(contentsOfFile: node.folder + "/carried", encoding: .utf8).split(separator: "\n").map(
        String.init)
    }

    private static func pending(_ node: NodeProcess) throws -> Int? {
      try node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pending_effect") }
    }
  }
}

/// The program that the child's machine runs.
private enum WaitingProgram {
  static let path = BuiltProgram.path(of: "latchkey-waiting-node")
  static let isBuilt = FileManager.default.isExecutableFile(atPath: path)
}
