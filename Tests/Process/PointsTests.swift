import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Points that parents give and a child redeems, on one machine and on several.
  @Suite struct PointsTests {
    private func balance(_ node: NodeProcess) async throws -> Int64 {
      try await node.api.ask(Endpoints.getPoints, (nil, 10)).balance
    }

    private func here(_ node: NodeProcess) async throws -> Int64 {
      try await node.api.ask(Endpoints.getPoints, (nil, 10)).here
    }

    @Test(
      "What a parent gives reaches the child's only machine, is redeemed and given back there, and survives kill -9")
    func oneMachine() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("points/use", "redeemFirst")])))
        let given = try await mum.latchkey("points", "adjust", "Emma", "+50", "--reason", "cleaned the kitchen")
        #expect(given.status == 0 && given.talk.contains("Emma gets 50 points."), "\(given)")
        try await eventually("the machine may spend it") { try await here(pc) == 50_000 }
        try await pc.restart()
        #expect(try await here(pc) == 50_000)
        let redeemed = try await pc.latchkey("redeem", "20")
        #expect(redeemed.status == 0 && redeemed.talk.contains("20 points became 20 min"), "\(redeemed)")
        try await pc.restart()
        #expect(try await pc.api.ask(Endpoints.getPoints, (nil, 10)).redeemedMilliseconds == 1_200_000)
        try await eventually("mum sees it") { try await balance(mum) == 30_000 }
        let tooMany = try await pc.latchkey("redeem", "40")
        #expect(tooMany.status != 0 && tooMany.talk.contains("30 points"), "\(tooMany)")
        let back = try await pc.latchkey("refund")
        #expect(back.status == 0 && back.talk.contains("20 points again"), "\(back)")
        #expect(try await pc.latchkey("refund").status != 0)
        try await eventually("mum sees that") { try await balance(mum) == 50_000 }

        // More than there is cannot be taken; the machine says how much it was.
        let taken = try await mum.latchkey("points", "adjust", "Emma", "-80", "--reason", "broke the rules", "--wait")
        #expect(taken.status == 0 && taken.output.contains("50 points were taken away"), "\(taken)")
        try await eventually("nothing is left") {
          let (there, left) = (try await balance(mum), try await balance(pc))
          return there == 0 && left == 0
        }
        let shown = try await mum.latchkey("points", "Emma")
        #expect(shown.status == 0 && shown.output.contains("broke the rules"), "\(shown)")
        let csv = try await mum.latchkey("points", "show", "Emma", "--format", "csv")
        #expect(csv.output.contains("adjusted,-50,"), "\(csv)")
        #expect(try await pc.latchkey("points", "adjust", "Emma", "+5", "--reason", "x").status != 0)
        #expect(try await mum.latchkey("redeem", "5").status != 0)
      }
    }

    /// Makes a machine Emma's, and sets an application that earns and one that costs 1,000 points a
    /// minute.
    private func makeEmmas(_ pc: NodeProcess, by mum: NodeProcess) async throws {
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
      for (app, category) in [("a.learn", "learning"), ("a.play", "reward")] {
        let set = try await mum.latchkey(
          "app", "set", app, "--child", "Emma", "--new", "--category", category, "--points-per-minute", "1000", "--wait"
        )
        #expect(set.status == 0, "\(set)")
      }
    }

    /// Runs a program on a child's machine under an application's name until the agent closes it.
    private func useUntilClosed(_ app: String, on node: NodeProcess) async throws {
      let closed = try await node.latchkey("usage", "track", "--app", app, "--", "/bin/sleep", "60")
      #expect(closed.status != 0, "\(closed)")
    }

    /// Runs a program on a child's machine under an application's name until what is to happen
    /// meanwhile has happened.
    private func use(_ app: String, on node: NodeProcess, lab: ProcessLab, while meanwhile: () async throws -> Void)
      async throws
    {
      let file = lab.newPath()
      let track = try node.launch([
        "usage", "track", "--app", app, "--", "/bin/sh", "-c", "while [ ! -e \(file) ]; do sleep 0.05; done",
      ]).process
      try await eventually("the session is open") {
        try await node.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.contains(where: \.isOpen)
      }
      try await meanwhile()
      try Data().write(to: URL(fileURLWithPath: file))
      #expect(await track.wait() == .exited(0))
      try await eventually("the session has ended") {
        try await !node.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.contains(where: \.isOpen)
      }
    }

    @Test(
      "Points that learning earned on one machine pay for a reward on the other, and kill -9 between changes nothing")
    func earnedAndSpent() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        try await lab.pair(mum, laptop)
        for machine in [pc, laptop] {
          _ = try await mum.api.ask(Endpoints.renameDevice, (machine.name, RenameRequest(childName: "Emma")))
          try await eventually("the machine is Emma's") {
            try await machine.api.ask(Endpoints.getChildren).map(\.name.text) == ["Emma"]
          }
        }
        for (app, category) in [("a.learn", "learning"), ("a.play", "reward")] {
          let set = try await mum.latchkey(
            "app", "set", app, "--child", "Emma", "--new", "--category", category, "--points-per-minute", "1000",
            "--wait")
          #expect(set.status == 0, "\(set)")
        }
        try await use("a.learn", on: pc, lab: lab) { try await pc.restart() }
        let record = try #require(try await pc.usage().first)
        #expect(record.earnedMilliPoints > 0 && record.category == .learning)
        try await eventually("mum has the points, as the PC is not the only machine") {
          try await here(mum) == record.earnedMilliPoints
        }
        #expect(try await balance(pc) == record.earnedMilliPoints)
        var before: Int64 = 0
        try await use("a.play", on: laptop, lab: lab) {
          // It costs while it runs, from what mum lends.
          try await eventually("the laptop has the points") {
            before = try await here(laptop)
            return before == record.earnedMilliPoints
          }
        }
        for node in [mum, pc, laptop] {
          try await eventually("\(node.name) knows what was spent") { try await balance(node) < before }
        }
        let left = try await balance(laptop)
        #expect(left >= 0)
        try await laptop.restart()
        try await eventually("what is left returns") { try await here(mum) == left }
        let entries = try await mum.api.ask(Endpoints.getPoints, ("Emma", 100)).entries.map(\.kind)
        #expect(entries.sorted() == ["earned", "spent"])
      }
    }

    @Test("Learning beside which a reward runs waits for a review, and counts when a parent says so")
    func review() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        try await makeEmmas(pc, by: mum)
        let given = try await mum.latchkey("points", "adjust", "Emma", "+50", "--reason", "helped")
        #expect(given.status == 0, "\(given)")
        try await eventually("the machine may spend it") { try await here(pc) == 50_000 }
        let file = lab.newPath()
        let play = try pc.launch([
          "usage", "track", "--app", "a.play", "--", "/bin/sh", "-c", "while [ ! -e \(file) ]; do sleep 0.05; done",
        ]).process
        try await eventually("the reward runs") {
          try await pc.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.contains(where: \.isOpen)
        }
        let learned = try await pc.latchkey("usage", "track", "--app", "a.learn", "--", "/bin/sh", "-c", "sleep 0.3")
        #expect(learned.status == 0, "\(learned)")
        try await eventually("it waits for a review") {
          try await mum.api.ask(Endpoints.getPoints, ("Emma", 10)).held.map(\.words) == [
            "learning held, a reward ran beside it"
          ]
        }
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(await play.wait() == .exited(0))
        let left = try await balance(pc)
        try await eventually("mum knows what was spent") { try await balance(mum) == left }
        #expect(left < 50_000)
        let held = try #require(try await mum.api.ask(Endpoints.getPoints, ("Emma", 10)).held.first)
        let reviewed = try await mum.latchkey("points", "review", held.short, "--approve", "--wait")
        #expect(reviewed.status == 0 && reviewed.output.contains("earned"), "\(reviewed)")
        try await eventually("it counts") { try await balance(mum) == left + held.milliPoints }
        let again = try await mum.latchkey("points", "review", "--reject")
        #expect(again.status != 0 && again.talk.contains("No learning waits"), "\(again)")
      }
    }

    @Test("Learning under a lock is closed and waits for a review, and a reward without points is not charged")
    func lockedAndWithoutPoints() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        try await makeEmmas(pc, by: mum)
        try await useUntilClosed("a.play", on: pc)
        let played = try await pc.latchkey("usage", "list")
        #expect(played.status == 0 && played.output.contains("not charged"), "\(played)")
        #expect(played.talk.contains("there were no points for it"), "\(played)")
        #expect(try await pc.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.first?.charge == .nothing)
        #expect(try await balance(pc) == 0)
        let locked = try await mum.latchkey("lock", "Emma", "--wait")
        #expect(locked.status == 0, "\(locked)")
        try await useUntilClosed("a.learn", on: pc)
        try await eventually("mum sees that it waits") {
          try await mum.latchkey("points", "Emma").output.contains("the program was not allowed then")
        }
        #expect(try await balance(mum) == 0)
        let listed = try await pc.latchkey("usage", "list")
        #expect(listed.output.contains("held") && listed.talk.contains("a parent decides"), "\(listed)")
        let csv = try await pc.latchkey("usage", "list", "--format", "csv")
        #expect(csv.output.contains(",held") && csv.output.contains(",nothing"), "\(csv)")
      }
    }

    @Test("While the machine with the points is off, the child is told where they are")
    func pointsOutOfReach() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        try await lab.pair(mum, laptop)
        for machine in [pc, laptop] {
          _ = try await mum.api.ask(Endpoints.renameDevice, (machine.name, RenameRequest(childName: "Emma")))
          try await eventually("the machine is Emma's") {
            try await machine.api.ask(Endpoints.getChildren).map(\.name.text) == ["Emma"]
          }
        }
        let set = try await mum.latchkey(
          "app", "set", "a.play", "--child", "Emma", "--new", "--category", "reward", "--wait")
        #expect(set.status == 0, "\(set)")
        let given = try await mum.latchkey("points", "adjust", "Emma", "+12", "--reason", "helped")
        #expect(given.status == 0, "\(given)")
        try await eventually("the PC knows") { try await balance(pc) == 12_000 }
        await mum.kill()
        try await eventually("the PC has noticed") {
          try await pc.latchkey("points").output.contains("which this machine cannot reach now")
        }
        let points = try await pc.latchkey("points")
        #expect(points.output.contains("12 points wait on “\(mum.name)”"), "\(points)")
        let explained = try await pc.latchkey("explain", "Emma", "--app", "a.play")
        #expect(explained.output.contains("12 points wait on “\(mum.name)”, which is out of reach"), "\(explained)")
      }
    }

    @Test("Points that are on one machine are spent on the other, whichever wants them")
    func twoMachines() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("points/use", "redeemFirst")])))
        _ = try await mum.api.ask(
          Endpoints.adjustPoints, PointsAdjustment(child: "Emma", milliPoints: 50_000, reason: "x"))
        try await eventually("the only machine has all") { try await here(pc) == 50_000 }
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        try await lab.pair(mum, laptop)
        _ = try await mum.api.ask(Endpoints.renameDevice, (laptop.name, RenameRequest(childName: "Emma")))
        try await eventually("the laptop knows of the points") { (try? await balance(laptop)) == 50_000 }
        // The PC is not the only one any more, and returns them.
        try await eventually("mum has them") { try await here(mum) == 50_000 }
        let redeemed = try await laptop.latchkey("redeem", "30")
        #expect(redeemed.status == 0 && redeemed.talk.contains("30 points became 30 min"), "\(redeemed)")
        try await laptop.restart()
        for node in [mum, pc, laptop] {
          try await eventually("\(node.name) knows") { try await balance(node) == 20_000 }
        }
        // The rest returns, and the other machine gets it when it wants it.
        try await eventually("mum has the rest") { try await here(mum) == 20_000 }
        let other = try await pc.latchkey("redeem", "20")
        #expect(other.status == 0, "\(other)")
        try await eventually("nothing is left") { try await balance(mum) == 0 }
        let more = try await laptop.latchkey("redeem", "1")
        #expect(more.status != 0, "\(more)")
        // Apart from the parents, what is elsewhere cannot be had.
        _ = try await mum.api.ask(
          Endpoints.adjustPoints, PointsAdjustment(child: "Emma", milliPoints: 9_000, reason: "x"))
        try await eventually("the PC knows") { try await balance(pc) == 9_000 }
        await mum.kill()
        let apart = try await pc.latchkey("redeem", "9")
        #expect(apart.status != 0 && apart.talk.contains("points wait on"), "\(apart)")
      }
    }
  }
}
