import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

extension ProcessTests {
  /// What stays at a broker, and what others write there: Protocol/14-bridge.md §4.
  @Suite struct MQTTLeavingTests {
    private typealias Home = MQTTBridgeTests.Home

    @Test("A claim in the name of a bridge that answers nobody is told, and the child is served again after a while")
    func forged() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        let (broker, emma) = (home.broker, home.emma)
        try await home.add(home.mum)
        _ = try home.bridge(home.mum)
        try await eventually("the state is there") { try await broker.state(of: emma) != nil }
        let own = try await broker.kept(HomeTopics.claim(emma))
        try await broker.forge(HomeTopics.online("abcdef"), "online")
        try await broker.forge(HomeTopics.claim(emma), "abcdef")
        try await eventually("it is told") {
          try await home.fault(home.mum)?.contains("somebody else writes to its topics") == true
        }
        #expect(try await broker.kept(HomeTopics.claim(emma)) == "abcdef")
        let listed = try await home.mum.latchkey(["receivers", "--format", "json"])
        #expect(listed.output.contains("somebody else writes to its topics"), "\(listed)")
        try await eventually("it is taken back") { try await broker.kept(HomeTopics.claim(emma)) == own }
        try await eventually("nothing is wrong") { try await home.fault(home.mum) == nil }
      }
    }

    @Test("Of a receiver that is removed nothing stays at the broker, also if its bridge was killed")
    func removed() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        let own = MQTTBridge.name(of: "home", at: try await home.mum.api.ask(Endpoints.getStatus).deviceID)
        func left() async throws -> [String] {
          var left: [String] = []
          for topic in HomeTopics.retained(home.emma) + [HomeTopics.online(own)]
          where try await !home.broker.kept(topic).isEmpty {
            left.append(topic)
          }
          return left
        }
        for isKilled in [false, true] {
          try await home.add(home.mum)
          let bridge = try home.bridge(home.mum)
          try await eventually("everything is there") { try await left().count == 5 }
          if isKilled { bridge.process.signal(SIGKILL) }
          let removed = try await home.mum.latchkey(["receivers", "remove", "home"])
          #expect(removed.status == 0 && !removed.talk.contains("still at the broker"), "\(removed)")
          _ = await bridge.process.wait()
          #expect(try await left().isEmpty)
        }
        // A broker that was killed keeps that a bridge is online which is gone: it takes nothing
        // over.
        try await home.add(home.mum)
        let bridge = try home.bridge(home.mum)
        try await eventually("everything is there") { try await left().count == 5 }
        bridge.process.signal(SIGKILL)
        _ = await bridge.process.wait()
        try await home.broker.forge(HomeTopics.online("abcdef"), "online")
        let abandoned = try await home.mum.latchkey(["receivers", "remove", "home"])
        #expect(abandoned.status == 0 && !abandoned.talk.contains("still at the broker"), "\(abandoned)")
        #expect(try await left().isEmpty)

        try await home.add(home.mum)
        await home.broker.kill()
        let removed = try await home.mum.latchkey(["receivers", "remove", "home"])
        #expect(removed.status == 0, "\(removed)")
        for words in ["still at the broker", "cannot be reached"] {
          #expect(removed.talk.contains(words), "\(removed)")
        }
      }
    }
  }
}
