import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// Tests of a removed device that kept all its data, and of a thief with a part of them.
  @Suite struct RemovedDeviceTests {
    @Test(
      "A removed device cannot return with its keys, its old folder, a replayed removal, or its old code"
    )
    func comesBack() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(
          .parent, "Kitchen laptop", ["--no-discovery", "--port", "\(try lab.freePort())"])
        let child = try await lab.runningNode(.child, "Emma's PC")
        let port = try await parent.port()
        let middle = try Middle(to: port)
        let code = try await lab.invite(parent)
        #expect(try await lab.join(child, code.typed, peer: middle.address).outcome == .ok)
        try await eventually("they are connected") { try await child.isConnected() }

        // The device copies its folder before it is told, which does not change it for the parent.
        #expect(await child.terminate() == .exited(0))
        let copy = NodeProcess(lab: lab, folder: lab.newPath(), name: "Emma's copy")
        try FileManager.default.copyItem(atPath: child.folder, toPath: copy.folder)
        let stolen = try StolenKeys(of: copy)
        try await parent.restart()
        #expect(try await stolen.call(port: port) == .received, "as long as it is paired its keys are good")
        try await child.start()
        try await eventually("they are connected") { try await parent.isConnected() }
        #expect(try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC").wasTold)
        try await eventually("the parent is sure") { try await parent.api.ask(Endpoints.getStatus).peers.isEmpty }
        #expect(await child.terminate() == .exited(0))

        // Its keys, and then its complete folder.
        #expect(try await stolen.call(port: port) == .silence)
        try await copy.start()
        try await eventually("the copy gets silence") {
          try await copy.api.ask(Endpoints.getDevices).first?.lastError?.contains("did not answer") == true
        }
        #expect(try await !parent.isConnected())
        #expect(await copy.terminate() == .exited(0))

        // Replays the session in which it was removed, and the pairing.
        for recording in middle.sessions + middle.pairings {
          let stream = try ByteStream(port: port)
          stream.write(recording.bytes(.toInviter))
          stream.finish()
          #expect(await onThread { stream.readToEnd() }.isEmpty)
        }
        // The code with which it was paired.
        await child.kill()
        try await child.start()
        for text in [code.typed, code.pasted] {
          let joined = try await lab.join(child, text, peer: "127.0.0.1:\(port)")
          #expect(joined.outcome == .expired, "\(joined)")
        }
        for node in [parent, child] { #expect(try await node.api.ask(Endpoints.getDevices).isEmpty) }
        _ = await parent.terminate()
        let rows = try parent.read { try Row.fetchAll($0, sql: "SELECT state, pairwise_key FROM peer") }
        #expect(rows.map { $0["state"] as Int } == [4])
        #expect(rows.map { $0["pairwise_key"] as Data } == [Data(count: 32)])
      }
    }

    @Test(
      "A removed device that was not told gets only its removal, and then no answer"
    )
    func notToldYet() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let port = try await parent.port()
        #expect(await child.terminate() == .exited(0))
        let stolen = try StolenKeys(of: child)
        #expect(try await !parent.api.ask(Endpoints.deleteDevice, "Emma's PC").wasTold)
        // It is removed and was not told: the parent answers only to deliver the removal.
        let reception = try await stolen.call(port: port)
        #expect(reception != .silence)
        let waiting = try await parent.latchkey("message", "send", "--on", "Emma's PC", "not for you")
        #expect(waiting.status == 67 && waiting.talkLines.count == 1, "\(waiting)")
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.marks) == [[.removalUntold]])
        try await child.start()
        try await eventually("it is told") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        try await eventually("the parent is sure") { try await parent.api.ask(Endpoints.getStatus).peers.isEmpty }
        #expect(try await child.api.ask(Endpoints.getStatus).messages.isEmpty)
        // The link ends right after the removal is durable, which is what the parent shows.
        try await eventually("it gets no answer") { try await stolen.call(port: port) == .silence }
      }
    }

    @Test("A link key without the pairwise key opens nothing, and does not disturb its device")
    func linkKeyAlone() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let port = try await parent.port()
        #expect(await child.terminate() == .exited(0))
        let stolen = try StolenKeys(of: child)
        #expect(try await stolen.call(port: port, key: .generate()) == .answeredAndDropped)
        #expect(try await !parent.isConnected())
        try await child.start()
        try await eventually("they are connected") { try await parent.isConnected() }
        #expect(try await stolen.call(port: port, key: .generate()) == .answeredAndDropped)
        for node in [parent, child] { #expect(try await node.isConnected()) }
        #expect(try await parent.api.ask(Endpoints.getDevices).allSatisfy { $0.marks.isEmpty })
      }
    }
  }
}
