import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// A paired machine of a later version, which still speaks this version's protocol.
  @Suite struct NextVersionTests {
    /// Fields, kinds of items and kinds of commands that a later version may add.
    private static let laterFields = RawMessage().adding(90, number: 1).adding(91, text: "later").adding(92, fixed: 7)

    @Test("Additions of a later version are ignored or answered, and everything that both know is executed")
    func additions() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        var peer = try RawPeer(of: parent)
        peer.versions = 1...9
        peer.laterFields = Self.laterFields
        let ids = (0..<3).map { CommandID(milliseconds: Int64($0), random: SecureRandom.bytes(10)) }
        func command(_ index: Int, _ kind: String, _ payload: RawMessage) -> DeliveryItem {
          let body = RawMessage().adding(1, bytes: ids[index].bytes).adding(2, bytes: peer.identity.bytes)
            .adding(4, text: kind).adding(5, message: payload)
          return DeliveryItem(
            sequence: UInt64(index) + 2, kind: .command, itemID: ids[index].bytes,
            body: body.bytes + Self.laterFields.bytes)
        }
        func unknown() -> DeliveryItem {
          DeliveryItem(sequence: 1, kind: ItemKind(rawValue: 4_711), itemID: SecureRandom.bytes(16), body: [0xFF])
        }
        // A refusal for a reason that this version does not know.
        let refused = RawMessage().adding(1, number: 3).adding(2, number: 2).adding(3, bytes: SecureRandom.bytes(16))
          .adding(4, number: 99)
        let refusal = DeliveryItem(
          sequence: 2, kind: .refusal, itemID: SecureRandom.bytes(16),
          body: RawMessage().adding(1, message: refused).adding(2, number: 1).bytes)
        let commands = [
          command(0, "fromTheFuture", Self.laterFields),
          command(1, "message", RawMessage().adding(1, text: "from the future").adding(90, number: 1)),
          command(2, "requestReport", Self.laterFields),
        ]
        let runs = [
          ItemRun(streamClass: .control, epoch: 7, items: [unknown(), refusal]),
          ItemRun(streamClass: .receipt, epoch: 7, items: [unknown()]),
          ItemRun(streamClass: .usage, epoch: 7, items: [unknown()]),
          ItemRun(streamClass: .command, epoch: 7, items: [unknown()] + commands),
        ]
        let receipts = try await peer.receipts(
          4, port: try await child.port(), sending: runs.map { SessionBatch(runs: [$0]) })
        guard case .failed(let reason)? = receipts[ids[0]] else {
          Issue.record("\(String(describing: receipts[ids[0]])) is no failure")
          return
        }
        #expect(reason.english.contains("update Latchkey"), "\(reason.english)")
        #expect(receipts[ids[1]] == .executed(.messageStored))
        guard case .executed(let state)? = receipts[ids[2]], state.as(DeviceReport.self) != nil else {
          Issue.record("\(String(describing: receipts[ids[2]])) is no report")
          return
        }
        #expect(receipts.count == 4)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["from the future"])
      }
    }

    @Test("A version without a common protocol is told so, and has no effect")
    func nothingInCommon() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        var peer = try RawPeer(of: parent)
        peer.versions = 2...9
        let hello = try await peer.hello(port: try await child.port(), stating: [])
        #expect(hello == nil || hello?.refusal == .version)
        try await parent.start()
        let sent = try await parent.issue(.message("still here"), to: "Emma's PC")
        #expect(try await parent.ended(sent).status == .executed)
      }
    }
  }
}
