import LatchkeyCommands
import LatchkeyModel
import Testing

extension ProcessTests {
  /// Tests of the findings of `latchkey doctor` about queues, clocks and removals.
  @Suite struct DoctorPeerTests {
    private func finding(_ id: String, _ node: NodeProcess) async throws -> Finding? {
      let result = try await node.latchkey(["doctor", "--format", "json"])
      return try result.decode(Examination.self).findings.first { $0.id == id }
    }

    @Test("Items that have waited for more than a week for an absent machine")
    func old() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        await parent.kill()
        let tracked = try await child.latchkey("usage", "track", "--app", "org.gnome.Chess", "--", "/bin/true")
        #expect(tracked.status == 0, "\(tracked)")
        #expect(try await finding("queue-old", child) == nil)
        await child.kill()
        try child.edit { try $0.execute(sql: "UPDATE age_clock SET base = base + 8 * 86400000") }
        try await child.start()
        let found = try #require(try await finding("queue-old", child))
        #expect(found.severity == .warning)
        #expect(found.sentence == "1 usage item for “Kitchen laptop” has waited for 8 days.")
      }
    }

    @Test("A peer whose clock is ahead")
    func clock() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.node(
          .child, "Emma's PC",
          variables: [
            "LD_PRELOAD": BuiltProgram.path(of: "libLatchkeyClockShift.so"), "LATCHKEY_CLOCK_SHIFT": "7260",
          ])
        try await child.start()
        try await lab.pair(parent, child)
        #expect(try await finding("clock-difference", parent) == nil)
        let tracked = try await child.latchkey(
          ["usage", "track", "--app", "org.gnome.Chess", "--state-dir", child.folder, "--", "/bin/true"])
        #expect(tracked.status == 0, "\(tracked)")
        try await parent.eventuallyHasUsage(1)
        let found = try #require(try await finding("clock-difference", parent))
        #expect(found.severity == .information)
        #expect(found.sentence == "The clock of “Emma's PC” is at least 2 h ahead of this machine's.")
      }
    }

    @Test("A removed peer that has not heard of its removal")
    func removed() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        let unpaired = try await parent.latchkey("devices", "unpair", "Emma's PC")
        #expect(unpaired.status == 0, "\(unpaired)")
        let result = try await parent.latchkey(["doctor", "--format", "json", "--on", "Emma's PC"])
        let findings = try result.decode(Examination.self).findings
        #expect(findings.contains { $0.id == "peer-removed" }, "\(findings)")
      }
    }
  }
}
