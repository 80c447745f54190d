import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// A paired machine that does not keep to the protocol.
  @Suite struct HostilePeerTests {
    @Test("Malformed and unknown commands fail with a reason, and later commands are executed")
    func malformedCommands() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        let peer = try RawPeer(of: parent)
        let ids = (0..<5).map { CommandID(milliseconds: Int64($0), random: SecureRandom.bytes(10)) }
        func body(_ id: CommandID, author: DeviceID, _ text: String) -> [UInt8] {
          MessageBodyCoding().encode(CommandBody(commandID: id, author: author, createdAt: 0, payload: .message(text)))
        }
        let stranger = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.size)))
        let items = [
          DeliveryItem(sequence: 1, kind: .command, itemID: ids[0].bytes, body: [0xFF, 0xFF, 0xFF]),
          DeliveryItem(sequence: 2, kind: ItemKind(rawValue: 4_711), itemID: ids[1].bytes, body: []),
          DeliveryItem(
            sequence: 3, kind: .command, itemID: ids[2].bytes, body: body(ids[2], author: stranger, "forged")),
          DeliveryItem(
            sequence: 4, kind: .command, itemID: ids[3].bytes, body: body(ids[0], author: peer.identity, "swapped")),
          DeliveryItem(
            sequence: 5, kind: .command, itemID: ids[4].bytes, body: body(ids[4], author: peer.identity, "whole")),
        ]
        let receipts = try await peer.receipts(
          5, port: try await child.port(),
          sending: [SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 7, items: items)])])
        for id in ids[..<4] {
          guard case .failed(let reason)? = receipts[id] else {
            Issue.record("\(String(describing: receipts[id])) is no failure")
            continue
          }
          #expect(!reason.english.isEmpty && reason.english.hasSuffix("."), "\(reason.english)")
        }
        #expect(receipts[ids[4]] == .executed(.messageStored))

        // A session later the same stream goes on where it was, and what came before is not taken
        // twice.
        let next = CommandID(milliseconds: 9, random: SecureRandom.bytes(10))
        let more =
          items + [
            DeliveryItem(
              sequence: 6, kind: .command, itemID: next.bytes, body: body(next, author: peer.identity, "next"))
          ]
        let again = try await peer.receipts(
          6, port: try await child.port(),
          sending: [SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 7, items: more)])])
        #expect(again[next] == .executed(.messageStored))
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text).sorted() == ["next", "whole"])
      }
    }

    @Test(
      "Removals and new keys in a wrong class are ignored whatever they contain, and the session continues",
      arguments: [DeviceRole.parent, .child])
    func outOfPlace(sender: DeviceRole) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let (gone, other) = sender == .parent ? (parent, child) : (child, parent)
        await gone.kill()
        let peer = try RawPeer(of: gone)
        func item(_ number: UInt64, _ kind: ItemKind) -> DeliveryItem {
          DeliveryItem(sequence: number, kind: kind, itemID: SecureRandom.bytes(16), body: [0xFF])
        }
        var runs = [StreamClass.command, .receipt, .usage].map {
          ItemRun(streamClass: $0, epoch: 7, items: [item(1, .removal), item(2, .keyRotation)])
        }
        // A child gives out no keys, readable or not.
        if sender == .child { runs.append(ItemRun(streamClass: .control, epoch: 7, items: [item(1, .keyRotation)])) }
        let id = CommandID(milliseconds: 1, random: SecureRandom.bytes(10))
        let body = MessageBodyCoding().encode(
          CommandBody(commandID: id, author: peer.identity, createdAt: 0, payload: .message("still here")))
        let last = ItemRun(
          streamClass: .command, epoch: 7,
          items: [DeliveryItem(sequence: 3, kind: .command, itemID: id.bytes, body: body)])
        let batches = runs.map { SessionBatch(runs: [$0]) } + [SessionBatch(runs: [last])]
        let receipts = try await peer.receipts(3, port: try await other.port(), sending: batches)
        try #require(receipts.count == 3, "\(receipts)")
        if sender == .parent {
          #expect(receipts[id] == .executed(.messageStored))
        } else if case .failed? = receipts[id] {
        } else {
          Issue.record("a parent has answered a child's command with \(String(describing: receipts[id]))")
        }
        #expect(try await other.api.ask(Endpoints.getDevices).map(\.device.state) == [.active])
      }
    }

    @Test(
      "New keys that a child cannot decode end the session, since the parent relies on the report that they are stored")
    func unreadableKeys() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        let peer = try RawPeer(of: parent)
        let keys = DeliveryItem(sequence: 1, kind: .keyRotation, itemID: SecureRandom.bytes(16), body: [0xFF])
        let id = CommandID(milliseconds: 1, random: SecureRandom.bytes(10))
        let body = MessageBodyCoding().encode(
          CommandBody(commandID: id, author: peer.identity, createdAt: 0, payload: .message("never")))
        let command = DeliveryItem(sequence: 1, kind: .command, itemID: id.bytes, body: body)
        let receipts = try await peer.receipts(
          1, port: try await child.port(),
          sending: [
            SessionBatch(runs: [
              ItemRun(streamClass: .control, epoch: 7, items: [keys]),
              ItemRun(streamClass: .command, epoch: 7, items: [command]),
            ])
          ])
        #expect(receipts.isEmpty)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.isEmpty)
        try await parent.start()
        let real = try await parent.issue(.message("real"), to: "Emma's PC")
        #expect(try await parent.ended(real).status == .executed)
      }
    }

    @Test("A callee's Hello states its items before it adopted the caller's epochs")
    func statement() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let sent = try await parent.issue(.message("first"), to: "Emma's PC")
        #expect(try await parent.ended(sent).status == .executed)
        await parent.kill()
        let peer = try RawPeer(of: parent)
        let other = StreamPosition(streamClass: .command, epoch: 7, through: 5)
        let hello = try await peer.hello(port: try await child.port(), stating: [other])
        let stated = try #require(hello?.incoming.first { $0.streamClass == .command })
        #expect(stated.epoch != 7 && stated.through == 1, "\(stated)")
      }
    }

    @Test("A gap in a stream ends the session and has no effect, and the real parent is served afterwards")
    func gap() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        let peer = try RawPeer(of: parent)
        let id = CommandID(milliseconds: 1, random: SecureRandom.bytes(10))
        let body = MessageBodyCoding().encode(
          CommandBody(commandID: id, author: peer.identity, createdAt: 0, payload: .message("from nowhere")))
        let item = DeliveryItem(sequence: 2, kind: .command, itemID: id.bytes, body: body)
        let receipts = try await peer.receipts(
          1, port: try await child.port(),
          sending: [SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 7, items: [item])])])
        #expect(receipts.isEmpty)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.isEmpty)
        try await parent.start()
        let real = try await parent.issue(.message("real"), to: "Emma's PC")
        #expect(try await parent.ended(real).status == .executed)
      }
    }
  }
}
