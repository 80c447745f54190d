import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the names of machines: a new name reaches the others immediately or when they return.
  @Suite struct NameTests {
    private func own(_ node: NodeProcess) async throws -> String {
      try await node.api.ask(Endpoints.getStatus).name.text
    }

    /// Returns the name that a node shows for its only peer.
    private func peer(_ node: NodeProcess) async throws -> String? {
      try await node.api.ask(Endpoints.getDevices).first?.device.name.text
    }

    @Test("A renamed machine has its new name on connected machines, and later on all others")
    func renamed() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let renamed = try await child.latchkey("devices", "rename", "--self", "Emma's laptop")
        #expect(
          renamed.status == 0 && renamed.talkLines == ["This machine is called “Emma's laptop” now."], "\(renamed)")
        try await eventually("the parent calls it so") { try await peer(parent) == "Emma's laptop" }
        // The parent renames the child while it is off.
        #expect(await child.terminate() == .exited(0))
        let given = try await parent.latchkey("devices", "rename", "Emma's laptop", "--to", "Desk", "--child", "Emma")
        #expect(given.status == 0 && given.talk.contains("hear of it when next in touch"), "\(given)")
        #expect(try await peer(parent) == "Desk")
        #expect(try await parent.api.ask(Endpoints.getDevices).first?.device.childName == "Emma")
        try await parent.restart()
        try await child.start()
        try await eventually("the child calls itself so") { try await own(child) == "Desk" }
        try await child.restart()
        #expect(try await own(child) == "Desk")
        #expect(try await peer(parent) == "Desk")
        // A parent can rename itself, too.
        _ = try await parent.api.ask(Endpoints.renameDevice, ("Kitchen laptop", RenameRequest(name: "Mum's laptop")))
        try await eventually("the child has heard of it") { try await peer(child) == "Mum's laptop" }
        let taken = try await parent.latchkey("devices", "rename", "Desk", "--to", "mum's laptop")
        #expect(taken.status != 0 && taken.talk.contains("already"), "\(taken)")
        let other = try await child.latchkey("devices", "rename", "Mum's laptop", "--to", "X")
        #expect(other.status != 0 && other.talk.contains("names itself alone"), "\(other)")
      }
    }

    @Test("A second machine with the same name is paired under a different one, which it adopts")
    func twoOfOneName() async throws {
      try await ProcessLab.run { lab in
        let (parent, _) = try await lab.pairedFamily()
        let second = try await lab.runningNode(.child, "emma's PC")
        let code = try await lab.code(from: parent)
        #expect(try await lab.join(second, code).outcome == .ok)
        #expect(
          try await Set(parent.api.ask(Endpoints.getDevices).map(\.device.name.text)) == ["Emma's PC", "emma's PC 2"])
        try await eventually("it calls itself so") { try await own(second) == "emma's PC 2" }
        let command = try await parent.issue(.message("hello"), to: "emma's PC 2")
        #expect(try await parent.ended(command).status == .executed)
      }
    }
  }
}
