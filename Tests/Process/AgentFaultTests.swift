import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What holds, and what is told, when an agent or its node dies, or cannot do what it is ordered.
  @Suite struct AgentFaultTests {
    @Test("An agent that is killed in the middle of closing is replaced, and the program is closed all the same")
    func killedAgent() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)")])
        // It ignores that it is asked to end.
        let game = try home.play(["/bin/sh", "-c", "trap '' TERM; exec \"$0\" 600", home.game], seconds: [])
        try await eventually("it is seen to run") { try await home.pc.api.ask(Endpoints.getStatus).running.count == 1 }
        try await home.set([("app/kart/blocked", "yes")])
        try await eventually("it was asked to end") { home.pc.log.contains("how=asked") }
        let first = try #require(home.agent)
        kill(first, SIGKILL)
        #expect(await game.wait() == .signalled(SIGKILL))
        try await eventually("another agent runs") { home.agent.map { $0 != first } ?? false }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await home.mum.eventuallyHasUsage(1)
        #expect(try await home.mum.usage().count == 1, "Nothing is counted twice.")
      }
    }

    @Test("While the node is dead, the agent goes on by its last orders; what was used meanwhile is recorded once")
    func killedNode() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let other = lab.newPath() + "-other"
        try home.copy(to: other)
        try await home.set([
          ("app/kart/matchers", "path \(home.game)"), ("app/other/matchers", "path \(other)"),
          ("app/other/blocked", "yes"),
        ])
        let (ends, stays) = (try home.play(), try home.play())
        try await eventually("they are seen") {
          try await home.pc.api.ask(Endpoints.getStatus).running.count == 1
            && home.pc.read { database in
              try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") == 2
            }
        }
        let agent = try #require(home.agent)
        await home.pc.kill()
        #expect(try await home.play([other]).wait() == .signalled(SIGKILL))
        ends.signal(SIGKILL)
        _ = await ends.wait()
        let meanwhile = try home.play()
        // It has been seen when the next one is.
        #expect(try await home.play([other]).wait() == .signalled(SIGKILL))
        stays.signal(SIGKILL)
        _ = await stays.wait()
        try await home.pc.start()
        #expect(home.agent == agent, "It was found again.")
        try await eventually("what runs is known") {
          try home.pc.read { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") == 1
          }
        }
        meanwhile.signal(SIGKILL)
        _ = await meanwhile.wait()
        try await home.mum.eventuallyHasUsage(1)
        try await eventually("nothing runs") { try await home.pc.api.ask(Endpoints.getStatus).running.isEmpty }
        let records = try await home.mum.usage()
        #expect(
          records.count == 1 && records.allSatisfy { $0.evidence == .observed },
          "One session, without a gap: \(records)")

        // A node that is stopped on purpose takes its agent along.
        #expect(await home.pc.terminate() == .exited(0))
        try await eventually("the agent has ended") { home.agent == nil }
      }
    }

    @Test("A receipt says that a rule is enforced once the agent says so, also over the death of the node")
    func receipts() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)"), ("app/kart/blocked", "yes")])
        let first = try home.play()
        #expect(await first.wait() == .signalled(SIGKILL))

        // An agent that stands still enforces nothing, whatever it said before.
        let agent = try #require(home.agent)
        kill(agent, SIGSTOP)
        #expect(try await home.outcome(of: [("app/kart/name", "Kart")]).stateInForce?.enforcement == .recorded)
        kill(agent, SIGCONT)
        #expect(try await home.outcome(of: [("app/kart/name", "Karts")]).stateInForce?.enforcement == .ownPrograms)

        // The node dies while an edit waits for the agent: the next one asks again, and answers
        // once.
        await home.pc.kill()
        try await home.pc.start(crashPoint: "effects.carried-out")
        try await eventually("the agent has orders of the next node") {
          try await home.pc.api.ask(Endpoints.getOwnToday).enforcement == .ownPrograms
        }
        kill(agent, SIGSTOP)
        let name = RuleRequest([.init("app/kart/name", "Kart")])
        let waiting = try #require(try await home.mum.api.ask(Endpoints.setRules, ("Emma", name)).commands.last)
        #expect(await home.pc.wait() == .signalled(SIGKILL))
        #expect(try home.pc.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pending_effect") } == 1)
        kill(agent, SIGCONT)
        try await home.pc.start()
        let command = try await home.mum.ended(waiting.commandID.description)
        #expect(command.status == .executed && command.stateInForce?.enforcement == .ownPrograms, "\(command)")
        #expect(home.agent == agent)
      }
    }

    @Test("What an agent cannot do is told where the parent is; what the system needs is refused at once")
    func refused() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let rules = [("app/shell/matchers", "path /usr/bin/gnome-shell"), ("app/shell/blocked", "yes")]
        do {
          let outcome = try await home.outcome(of: rules)
          Issue.record("It was taken: \(outcome)")
        } catch {
          #expect("\(error)".contains("“/usr/bin/gnome-shell” is a program that the system needs"), "\(error)")
        }

        func receipt(_ rules: [(String, String?)]) async throws -> String {
          let outcome = try await home.outcome(of: rules)
          return try #require(outcome.stateInForce).summary
        }
        let sessions = try await receipt([("sessions", "close"), ("app/kart/matchers", "path \(home.game)")])
        #expect(
          sessions.hasPrefix("In force there") && sessions.contains("Sessions cannot be closed there"),
          "\(sessions)")
        let paused = try await receipt([("app/kart/step", "pause")])
        #expect(paused.hasSuffix("Programs cannot be paused there and are closed instead."), "\(paused)")
        let other = try await receipt([("app/kart/name", "Kart")])
        #expect(!other.contains("annot"), "It is about neither: \(other)")
        try await eventually("the parent knows that sessions cannot be closed there") {
          try await home.mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "cannot-close-sessions" }
        }
        let doctor = try await home.mum.latchkey("doctor")
        #expect(
          doctor.output.contains("Sessions cannot be closed on “Emma's PC”, so programs are closed one by one"),
          "\(doctor)")
        try await home.set([("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await home.set([("sessions", nil)])
        try await eventually("the parent knows that it is over") {
          try await !home.mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "cannot-close-sessions" }
        }
      }
    }

    @Test("Orders that cannot be written hold and are told, until they can be written")
    func unwritten() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)")])
        let obstacle = home.pc.folder + "/agent.orders.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        func tells() async throws -> Bool {
          try await home.mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "orders-not-kept" }
        }
        let summary = try await home.outcome(of: [("app/kart/blocked", "yes")]).stateInForce?.summary
        #expect(summary?.contains("hold until the agent is started again") == true, "\(summary ?? "nothing")")
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("the parent is told") { try await tells() }
        try FileManager.default.removeItem(atPath: obstacle)
        try await eventually("the parent knows that it is over") { try await !tells() }
        let agent = try #require(home.agent)
        await home.pc.kill()
        kill(agent, SIGKILL)
        try await home.pc.start()
        #expect(try await home.play().wait() == .signalled(SIGKILL))
      }
    }

    @Test("Damaged orders are told, and the last good ones hold; an agent ends when its folder is gone")
    func damagedOrders() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)"), ("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        // Orders that differ, so that those with the block are kept as the last ones.
        try await home.set([("app/kart/name", "Kart"), ("app/kart/category", "reward")])
        try await eventually("they are kept") {
          FileManager.default.fileExists(atPath: home.pc.folder + "/agent.orders.last")
        }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        await home.pc.kill()
        let agent = try #require(home.agent)
        kill(agent, SIGKILL)
        try await eventually("it is gone") { home.agent == nil }
        try Data("LKORDERS and then nothing of use".utf8).write(
          to: URL(fileURLWithPath: home.pc.folder + "/agent.orders"))
        try await home.pc.start()
        try await eventually("the damage is told") {
          try await home.pc.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("orders were damaged") }
        }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("the parent is told, too") {
          try await home.mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "orders-damaged" }
        }
        await home.pc.kill()
        let last = try #require(home.agent)
        try FileManager.default.removeItem(atPath: home.pc.folder)
        try await eventually("it has ended") { kill(last, 0) != 0 || home.agent == nil }
      }
    }
  }
}
