import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Removing a machine, and taking it back.
  @Suite struct UnpairTests {
    @Test("A connected machine that is unpaired is told immediately, and neither side opens a session again")
    func whileConnected() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let result = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        #expect(result.wasTold)
        #expect(result.device.state == .removed)
        try await eventually("the child knows") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.count == 1)
        for node in [parent, child] { try await node.restart() }
        #expect(try await parent.api.ask(Endpoints.getStatus).peers.isEmpty)
        #expect(try await child.api.ask(Endpoints.getStatus).peers.isEmpty)
        let refused = try await parent.latchkey("message", "send", "--on", "Emma's PC", "hello")
        #expect(refused.status == 67 && refused.talkLines.count == 1, "\(refused)")
      }
    }

    @Test("A machine that is away when it is unpaired is told when it returns; its commands are cancelled")
    func whileAway() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        let waiting = try await parent.issue(.message("too late"), to: "Emma's PC")
        let result = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        #expect(!result.wasTold)
        #expect(result.cancelledCommands == 1)
        // It still knows of it after a restart.
        try await parent.restart()
        try await child.start()
        try await eventually("the child knows") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        #expect(try await child.api.ask(Endpoints.getStatus).messages.isEmpty)
        #expect(try await parent.api.ask(Endpoints.getCommand, waiting).status == .cancelled)
        // Told once, its key is gone for good.
        try await eventually("the parent knows that it was told") {
          try parent.read { try Int.fetchOne($0, sql: "SELECT state FROM peer") } == 4
        }
        await parent.kill()
        let row = try parent.read { try Row.fetchOne($0, sql: "SELECT state, pairwise_key FROM peer") }
        #expect(row?["state"] as Int? == 4)
        #expect(row?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
      }
    }

    @Test("A removed machine can return only with a new code, and its streams start from the beginning")
    func pairedAgain() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let first = try await parent.issue(.message("first"), to: "Emma's PC")
        #expect(try await parent.ended(first).status == .executed)
        _ = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        try await eventually("the child knows") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        #expect(
          try await child.api.ask(Endpoints.getStatus).warnings.map { $0.contains("run `latchkey pair` on both") } == [
            true
          ])
        try await lab.pair(parent, child)
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.isEmpty)
        let second = try await parent.issue(.message("second"), to: "Emma's PC")
        #expect(try await parent.ended(second).status == .executed)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text).sorted() == ["first", "second"])
        let devices = try await parent.api.ask(Endpoints.getDevices).filter { $0.device.state == .active }
        #expect(devices.count == 1)
        // Repeated after both restarted, since the result is durable.
        for node in [parent, child] { try await node.restart() }
        let third = try await parent.issue(.message("third"), to: "Emma's PC")
        #expect(try await parent.ended(third).status == .executed)
      }
    }

    @Test("A machine that was removed while away can be paired again before it heard of its removal")
    func pairedAgainUntold() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        _ = try await parent.issue(.message("cancelled"), to: "Emma's PC")
        _ = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        let code = try await lab.code(from: parent)
        // The child still takes itself for paired: whichever comes first, the removal or the code,
        // both agree at the end.
        try await child.start()
        var ended = try await lab.join(child, code)
        if ended.outcome != .ok { ended = try await lab.join(child, try await lab.code(from: parent)) }
        #expect(ended.outcome == .ok, "\(ended)")
        try await eventually("both are connected") {
          let (one, other) = (try await parent.isConnected(), try await child.isConnected())
          return one && other
        }
        let id = try await parent.issue(.message("welcome back"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["welcome back"])
      }
    }
  }
}
