import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// A child's machine that is paired with a second parent: the first one is told.
  @Suite struct SecondParentTests {
    private func others(_ node: NodeProcess) async throws -> [String] {
      try await node.api.ask(Endpoints.getDevices).flatMap { ($0.otherParents ?? []).map(\.parent.name.text) }
    }

    @Test(
      "Two parents of a child are told of each other, even if one was off",
      arguments: [true, false])
    func told(isOff: Bool) async throws {
      try await ProcessLab.run { lab in
        let (first, child) = try await lab.pairedFamily()
        #expect(try await others(first).isEmpty)
        if isOff { #expect(await first.terminate() == .exited(0)) }
        let second = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(second, child)
        if isOff {
          // It survives the child's death before anybody has heard of it.
          try await child.restart()
          try await first.start()
        }
        try await eventually("the first parent knows") { try await others(first) == ["Tom's laptop"] }
        try await eventually("the second parent knows") { try await others(second) == ["Kitchen laptop"] }
        let status = try await first.latchkey("status")
        #expect(
          status.output.contains("Tom's laptop") && status.output.contains("another parent's machine"), "\(status)")
        let listed = try await first.latchkey("devices", "list")
        #expect(listed.talk.contains("“Tom's laptop”"), "\(listed)")
        try await first.restart()
        #expect(try await others(first) == ["Tom's laptop"])

        // The child's person removes the second parent again.
        _ = try await child.api.ask(Endpoints.deleteDevice, "Tom's laptop")
        try await eventually("the first parent knows that it has left") {
          try await first.api.ask(Endpoints.getDevices).first?.otherParents?.first?.parent.leftAt != nil
        }
        let warned = try await first.latchkey("status")
        #expect(warned.output.contains("was paired with another parent's machine"), "\(warned)")
      }
    }

    @Test("A parent that was added and taken away while the first one was off is no secret")
    func cameAndWent() async throws {
      try await ProcessLab.run { lab in
        let (first, child) = try await lab.pairedFamily()
        #expect(await first.terminate() == .exited(0))
        let twin = try await lab.runningNode(.parent, "Evil twin")
        try await lab.pair(twin, child)
        _ = try await child.api.ask(Endpoints.deleteDevice, "Evil twin")
        try await first.start()
        try await eventually("the first parent knows of it") { try await others(first) == ["Evil twin"] }
        let status = try await first.latchkey("status")
        #expect(status.output.contains("Evil twin") && status.output.contains("Warning"), "\(status)")
      }
    }
  }
}
