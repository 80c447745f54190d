import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of two nodes on one machine, of which only one has ever dialed.
  @Suite struct LoopbackCallTests {
    @Test("A child on the same machine that has dialed can be dialed, even after both were restarted")
    func calledBack() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let expected = "127.0.0.1:\(try await child.port())"
        try await eventually("the parent knows where the child listens") {
          try await parent.api.ask(Endpoints.getDevices).first?.addresses.map(\.address) == [expected]
        }
        let known = try #require(try await parent.api.ask(Endpoints.getDevices).first)
        #expect(known.addresses.map(\.source) == [.told] && known.address == expected)
        // It is used at once, and noted with the next of the link's notes.
        try await eventually("that is noted") {
          try parent.read { try String.fetchOne($0, sql: "SELECT told FROM peer") }?.contains(expected) == true
        }

        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        // The child knows of nowhere to call.
        try child.edit {
          try $0.execute(sql: "DELETE FROM address")
          try $0.execute(sql: "UPDATE peer SET told = ''")
        }
        try await parent.start()
        #expect(try await parent.api.ask(Endpoints.getDevices).first?.address == expected)
        try await child.start()
        try await eventually("the parent has called") { try await parent.isConnected() }
        try await eventually("it says that it uses that address") {
          try await parent.api.ask(Endpoints.getDevices).first?.addresses.first?.isInUse == true
        }
      }
    }

    @Test("A device without a known address has no next attempt, and is dialed when it appears")
    func nowhere() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        try parent.edit { try $0.execute(sql: "UPDATE peer SET told = ''") }
        try await parent.start()
        try await eventually("nothing is tried") {
          let peer = try await parent.api.ask(Endpoints.getDevices).first
          return peer?.isConnected == false && peer?.nextTryInMilliseconds == nil && peer?.addresses.isEmpty == true
        }
        let status = try await parent.latchkey("status")
        #expect(!status.output.contains("Next try in 0"), "\(status)")
        let doctor = try await parent.latchkey("doctor", "--on", "Emma's PC", "--format", "json")
        #expect(
          try await parent.api.ask(Endpoints.getDevices).first?.address == nil
            && doctor.output.contains("peer-no-address"))
      }
    }
  }
}
