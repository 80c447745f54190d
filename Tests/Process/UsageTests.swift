import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests that a program's use is recorded, whichever process is killed.
  @Suite struct UsageTests {
    /// A program that runs until a file is there.
    private func waiting(for file: String, then status: Int = 0) -> [String] {
      ["/bin/sh", "-c", "while [ ! -e \(file) ]; do sleep 0.05; done; exit \(status)"]
    }

    private func track(_ child: NodeProcess, _ program: [String]) throws -> SpawnedProcess {
      try child.launch(["usage", "track", "--app", "org.gnome.Chess", "--"] + program).process
    }

    /// Waits until the node has an open session.
    private func eventuallyOpen(_ child: NodeProcess) async throws {
      try await eventually("a session is open") {
        try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.contains(where: \.isOpen)
      }
    }

    private func end(_ file: String) throws {
      try Data().write(to: URL(fileURLWithPath: file))
    }

    @Test("The program's exit status is passed through, and each run is one record that reaches the parent once")
    func exitStatus() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let seven = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/sh", "-c", "exit 7")
        #expect(seven.end == .exited(7), "\(seven)")
        let killed = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/sh", "-c", "kill -TERM $$")
        #expect(killed.end == .exited(128 + SIGTERM) || killed.end == .signalled(SIGTERM), "\(killed)")
        let spoken = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/echo", "hello")
        #expect(spoken.output == "hello\n" && spoken.status == 0, "\(spoken)")
        let missing = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/no/such/program")
        #expect(missing.status == 127 && missing.talkLines.count == 1, "\(missing)")

        try await parent.eventuallyHasUsage(3)
        // Also one that ends before the node has heard of it.
        for _ in 0..<8 {
          let brief = try await child.latchkey("usage", "track", "--app", "brief", "--", "/bin/true")
          #expect(brief.status == 0, "\(brief)")
        }
        try await parent.eventuallyHasUsage(11)
        let list = try await child.latchkey("usage", "list", "--app", "brief")
        #expect(!list.output.contains("cut short") && list.talk.isEmpty, "\(list)")
        for node in [parent, child] { try await node.restart() }
        try await eventually("all is in step") {
          guard try await parent.isConnected() else { return false }
          return try await child.hasNothingWaiting()
        }
        let (there, here) = (try await parent.usage(), try await child.usage())
        #expect(there.count == 11 && there.allSatisfy { $0.evidence == .tracked }, "\(there)")
        #expect(Set(there) == Set(here))
        #expect(
          there.allSatisfy {
            $0.sessionStart <= $0.sessionEnd && $0.activeMilliseconds >= 0 && $0.zone == "Europe/Berlin"
          })
      }
    }

    @Test("Without an agent no use is recorded, and that is said with what to do; the program runs all the same")
    func withoutAgent() async throws {
      try await ProcessLab.run { lab in
        let child = try await lab.runningNode(.child, "Emma's PC")
        let tracked = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/sh", "-c", "exit 7")
        #expect(tracked.end == .exited(7), "\(tracked)")
        #expect(
          tracked.talk.contains("NOT recorded: No agent watches") && tracked.talk.contains("--no-agent"), "\(tracked)")
        let program = try UsedProgram()
        let refused = await #expect(throws: LocalAPIError.self) {
          _ = try await child.api.ask(Endpoints.startUsage, program.request("a.b"))
        }
        #expect(refused?.code == .noAgent)
        #expect(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.isEmpty)
      }
    }

    @Test("A signal to `usage track` reaches the program, whose status is passed through")
    func signalPassedOn() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let track = try child.launch([
          "usage", "track", "--app", "a.b", "--", "/bin/sh", "-c",
          "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done",
        ])
        try await eventually("the program runs") { ProcessLab.read(track.output) == "ready\n" }
        track.process.signal(SIGTERM)
        #expect(await track.process.wait() == .exited(9), "\(ProcessLab.read(track.talk))")
        try await parent.eventuallyHasUsage(1)
      }
    }

    @Test("A killed program leaves a record")
    func programKilled() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let pidFile = lab.newPath()
        let track = try track(child, ["/bin/sh", "-c", "echo $$ > \(pidFile); exec sleep 600"])
        try await eventuallyOpen(child)
        try await eventually("the program runs") { ProcessLab.read(pidFile).hasSuffix("\n") }
        let pid = try #require(pid_t(ProcessLab.read(pidFile).dropLast()))
        kill(pid, SIGKILL)
        let end = await track.wait()
        #expect(end == .exited(128 + SIGKILL) || end == .signalled(SIGKILL), "\(end)")
        try await parent.eventuallyHasUsage(1)
        #expect(try await child.usage() == parent.usage())
      }
    }

    @Test("A session is recorded when `usage track` itself is killed and the program ends later")
    func trackKilled() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let file = lab.newPath()
        let track = try track(child, waiting(for: file))
        try await eventuallyOpen(child)
        track.signal(SIGKILL)
        #expect(await track.wait() == .signalled(SIGKILL))
        try end(file)
        try await parent.eventuallyHasUsage(1)
        #expect(try await child.usage() == parent.usage())
        #expect(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.allSatisfy { !$0.isOpen })
      }
    }

    @Test("A session is recorded once when the child's node is killed and restarted in the middle")
    func nodeKilled() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let file = lab.newPath()
        let track = try track(child, waiting(for: file, then: 3))
        try await eventuallyOpen(child)
        try await child.restart()
        try await eventuallyOpen(child)
        try end(file)
        #expect(await track.wait() == .exited(3))
        try await parent.eventuallyHasUsage(1)
        let record = try #require(try await parent.usage().first)
        #expect(try await child.usage() == [record])
        // The program outlived the kill: its time goes on over it.
        #expect(record.activeMilliseconds > 0 && record.evidence == .tracked)
      }
    }

    @Test("A session that ended while the child's node was killed is recorded once, cut short without an agent")
    func nodeAwayAtTheEnd() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let file = lab.newPath()
        let track = try track(child, waiting(for: file))
        try await eventuallyOpen(child)
        await child.kill()
        track.signal(SIGKILL)
        _ = await track.wait()
        try end(file)
        try await child.start()
        try await parent.eventuallyHasUsage(1)
        #expect(try await child.usage() == parent.usage())
        #expect(try await parent.usage().map(\.evidence) == [.tracked], "The agent saw its end.")

        let again = try UsedProgram()
        _ = try await child.api.ask(Endpoints.startUsage, again.request("org.gnome.Mines"))
        try await eventually("it is seen to run") {
          try child.read { database in
            try Int.fetchOne(
              database, sql: "SELECT COUNT(*) FROM open_session WHERE last_seen_boot > started_boot") == 1
          }
        }
        await child.kill()
        let agent = try #require(AgentHome.agent(of: child))
        kill(agent, SIGKILL)
        await again.end()
        try await child.start()
        try await parent.eventuallyHasUsage(2)
        #expect(try await parent.usage().first { $0.appID.text == "org.gnome.Mines" }?.evidence == .interrupted)
        let listed = try await parent.latchkey("usage")
        #expect(listed.output.contains("(cut short)") && listed.talk.contains("Cut short: "), "\(listed)")
      }
    }
  }
}
