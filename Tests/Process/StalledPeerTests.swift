import Foundation
import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// A peer that reads nothing: its process is stopped, its connection stays open.
  @Suite struct StalledPeerTests {
    /// Resident memory, in bytes.
    private func resident(_ node: NodeProcess) async throws -> Int64 {
      try await node.api.ask(Endpoints.getStatus).residentBytes
    }

    @Test(
      "A peer that has answers sent to it and reads none is cut off before the node's memory has grown",
      .enabled(if: Length.isThorough, "it takes 400,000 frames; run Tools/test --thorough"))
    func answersThatNobodyReads() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        let peer = try RawPeer(of: parent)
        let before = try await resident(child)
        let words = "the peer does not read"
        #expect(try await peer.pingWithoutReading(port: child.port(), atMost: 3_000_000) { child.log.contains(words) })
        let grown = try await resident(child) - before
        print("StalledPeerTests: \(grown >> 20) MB more after answers that nobody reads")
        #expect(grown < 64 << 20, "\(grown >> 20) MB more")
        try await parent.start()
        let id = try await parent.issue(.message("dinner"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
      }
    }

    @Test(
      "Items for a peer that stops reading stay on the disk, others are served, and it gets all when it reads again"
    )
    func readsNothing() async throws {
      try await ProcessLab.run { lab in
        let (parent, stalled) = try await lab.pairedFamily()
        let other = try await lab.node(.child, "Ben's PC")
        try await other.start()
        try await lab.pair(parent, other)
        try await eventually("both are in step") {
          try await parent.api.ask(Endpoints.getDevices).allSatisfy { $0.isConnected }
        }
        let before = try await resident(parent)
        await stalled.signal(SIGSTOP)
        // More than a window, which is more than the sockets hold; or six of them.
        let text = String(repeating: "x", count: 4_000)
        let count = Length.pick(1_200, thorough: 6_000)
        let device = "Emma's PC"
        try await withThrowingTaskGroup(of: Void.self) { group in
          for worker in 0..<4 {
            group.addTask {
              let api = try await parent.api
              for index in stride(from: worker, to: count, by: 4) {
                _ = try await api.ask(
                  Endpoints.issue, CommandRequest(device: device, action: .message("\(index) " + text)))
              }
            }
          }
          try await group.waitForAll()
        }
        let queue = try #require(
          try await parent.api.ask(Endpoints.getDevices).first { $0.device.name.text == device }?.queues
            .first { $0.streamClass == .command })
        #expect(queue.waitingItems == Int64(count))
        // The window and the write buffer limit the memory, not the queue.
        #expect(queue.inFlightItems <= Int64(Limits.windowItems))
        let grown = try await resident(parent) - before
        #expect(grown < 64 << 20, "\(grown >> 20) MB more")
        let id = try await parent.issue(.message("dinner"), to: "Ben's PC")
        #expect(try await parent.ended(id).status == .executed)

        await stalled.signal(SIGCONT)
        try await eventually("everything has arrived") { try await parent.hasNothingWaiting() }
        await stalled.kill()
        let texts = try stalled.read {
          try String.fetchAll($0, sql: "SELECT text FROM received_message ORDER BY command_id")
        }
        #expect(texts.count == count)
      }
    }
  }
}
