import Foundation
import GRDB
import LatchkeyDiscovery
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTransport
import Testing

extension ProcessTests {
  /// A machine is removed, and the others get new keys; over mDNS kept to loopback.
  @Suite struct RotationTests {
    private func householdKey(_ node: NodeProcess) throws -> [UInt8] {
      let keys = try KeyFileStore(path: node.folder + "/identity.key").load()
      return try #require(keys.discoveryKey).withUnsafeBytes { Array($0) }
    }

    private func pairwiseKeys(_ node: NodeProcess) throws -> [String: [UInt8]] {
      try node.read { database in
        try Row.fetchAll(database, sql: "SELECT name, pairwise_key FROM peer").reduce(into: [:]) { keys, row in
          keys[row["name"]] = [UInt8](row["pairwise_key"] as Data)
        }
      }
    }

    private func marks(_ parent: NodeProcess, _ name: String) async throws -> [PeerMark]? {
      try await parent.api.ask(Endpoints.getDevices).first { $0.device.name.text == name }?.marks
    }

    /// Returns the announcement on loopback of the machine that listens on a port.
    private func announcement(port: UInt16) async throws -> (nonce: [UInt8], hint: [UInt8]) {
      let discovery = MulticastDiscovery(
        configuration: DiscoveryConfiguration(interfaces: ["lo"], allowDaemon: false))
      let watching = Task { await discovery.run() }
      defer { watching.cancel() }
      for await event in discovery.events {
        if case .found(let service) = event, service.port == port, let nonce = service.text["n"],
          let hint = service.text["h"]
        {
          return (nonce, hint)
        }
      }
      throw LabFault("The watch ended.")
    }

    /// Returns the number of frames with which a node answers a call with these keys.
    private func answers(_ port: UInt16, own: LinkKeyPair, peer: LinkPublicKey, pairwiseKey: [UInt8]) async throws
      -> Int
    {
      let key = try PresharedKey(bytes: pairwiseKey)
      return try await Dialer().withConnection(
        to: SocketEndpoint(host: "127.0.0.1", port: port), preamble: .session
      ) { connection, frames in
        let handshake = SessionInitiator(own: own, peer: peer, pairwiseKey: key, ephemeralKey: .generate())
        connection.send(handshake.firstFrame)
        var count = 0
        while await frames.next() != nil { count += 1 }
        return count
      }
    }

    @Test(
      "Connected machines continue, absent ones are found by their old key, and the removed one recognizes none")
    func removal() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Parent", [])
        var children: [NodeProcess] = []
        for name in ["Removed", "Stays", "Away"] {
          let child = try await lab.runningNode(.child, name, [])
          try await lab.pair(parent, child)
          children.append(child)
        }
        let (removed, stays, away) = (children[0], children[1], children[2])
        #expect(await away.terminate() == .exited(0))
        #expect(await removed.terminate() == .exited(0))
        let oldKeys = (household: try householdKey(removed), removed: try pairwiseKeys(removed)["Parent"] ?? [])
        let oldAway = try pairwiseKeys(away)["Parent"]
        try await removed.start()
        try await eventually("the one to be removed is there") {
          try await parent.api.ask(Endpoints.getDevices).contains { $0.device.name.text == "Removed" && $0.isConnected }
        }

        #expect(try await parent.api.ask(Endpoints.deleteDevice, "Removed").wasTold)
        try await eventually("who stays has its keys") { try await marks(parent, "Stays") == [] }
        let first = try await parent.issue(.message("go on"), to: "Stays")
        #expect(try await parent.ended(first).status == .executed)
        #expect(try await marks(parent, "Away") == [.rotationOutstanding])

        // All addresses have changed, so the two can only meet over mDNS, with the old key.
        await parent.kill()
        try await parent.start(["--port", "\(try lab.freePort())"])
        try await away.start(["--port", "\(try lab.freePort())"])
        try await eventually("who was away has its keys") { try await marks(parent, "Away") == [] }
        let second = try await parent.issue(.message("welcome back"), to: "Away")
        #expect(try await parent.ended(second).status == .executed)
        try await eventually("who stays is back, too") {
          try await parent.api.ask(Endpoints.getDevices).filter { $0.isConnected }.count == 2
        }

        // The removed machine's folder no longer matches the parent's announcement.
        let id = try await parent.api.ask(Endpoints.getStatus).deviceID
        let port = try await parent.port()
        let seen = try await announcement(port: port)
        let newKey = try householdKey(parent)
        #expect(DiscoveryHint.make(discoveryKey: newKey, nonce: seen.nonce, device: id) == seen.hint)
        let removedKey = try householdKey(removed)
        #expect(removedKey == oldKeys.household && removedKey != newKey)
        #expect(DiscoveryHint.make(discoveryKey: removedKey, nonce: seen.nonce, device: id) != seen.hint)
        let removedLink = try KeyFileStore(path: removed.folder + "/identity.key").load().link
        let parentLink = try KeyFileStore(path: parent.folder + "/identity.key").load().link.publicKey
        #expect(try await answers(port, own: removedLink, peer: parentLink, pairwiseKey: oldKeys.removed) == 0)

        // One key for each pair, and no trace of those before.
        try await eventually("no child needs its old key") {
          for child in [stays, away] {
            let count = try child.read {
              try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer WHERE previous_key NOTNULL")
            }
            if count != 0 { return false }
          }
          return true
        }
        for node in [parent, stays, away] { #expect(await node.terminate() == .exited(0)) }
        let held = try pairwiseKeys(parent)
        #expect(held["Removed"] == [UInt8](repeating: 0, count: 32))
        for child in [stays, away] {
          #expect(try pairwiseKeys(child)["Parent"] == held[child.name])
          #expect(try householdKey(child) == newKey)
        }
        #expect(held["Away"] != oldAway)
        for node in [parent, stays, away] {
          for name in ["latchkey.sqlite", "latchkey.sqlite-wal", "identity.key"] {
            let file = FileManager.default.contents(atPath: node.folder + "/" + name) ?? Data()
            for (what, key) in [
              ("household", oldKeys.household), ("removed", oldKeys.removed), ("away", oldAway ?? []),
            ] {
              #expect(file.range(of: Data(key)) == nil, "\(node.name)'s \(name) holds the \(what) key")
            }
          }
        }
      }
    }

    @Test("Nodes that are killed at any moment while keys are replaced remain connected afterwards")
    func killed() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(
          .parent, "Parent", ["--no-discovery", "--port", "\(try lab.freePort())"])
        let stays = try await lab.runningNode(.child, "Stays", ["--no-discovery", "--port", "\(try lab.freePort())"])
        try await lab.pair(parent, stays)
        for round in 0..<6 {
          let goes = try await lab.runningNode(.child, "Goes \(round)")
          try await lab.pair(parent, goes)
          let removing = Task { try? await parent.api.ask(Endpoints.forgetDevice, "Goes \(round)") }
          // The removal is durable when the node is killed, or it is not: then it is given again.
          for node in round.isMultiple(of: 2) ? [parent, stays] : [stays, parent] { try await node.restart() }
          _ = await removing.value
          _ = try? await parent.api.ask(Endpoints.forgetDevice, "Goes \(round)")
          await goes.kill()
          let id = try await parent.issue(.message("round \(round)"), to: "Stays")
          #expect(try await parent.ended(id).status == .executed)
          try await eventually("the keys have arrived") { try await marks(parent, "Stays") == [] }
        }
        for node in [parent, stays] { #expect(await node.terminate() == .exited(0)) }
        #expect(try pairwiseKeys(parent)["Stays"] == pairwiseKeys(stays)["Parent"])
        #expect(try householdKey(parent) == householdKey(stays))
      }
    }
  }
}
