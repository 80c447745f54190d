import LatchkeyModel
import Testing

extension ProcessTests {
  /// Points that parents give and a child redeems, on one machine and on several.
  @Suite struct PointsTests {
    private func balance(_ node: NodeProcess) async throws -> Int64 {
      try await node.api.points(ofChild: nil, limit: 10).balance
    }

    private func here(_ node: NodeProcess) async throws -> Int64 {
      try await node.api.points(ofChild: nil, limit: 10).here
    }

    @Test(
      "What a parent gives reaches the child's only machine, is redeemed and given back there, and survives kill -9")
    func oneMachine() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.rename(device: pc.name, RenameRequest(childName: "Emma"))
        _ = try await mum.api.setRules(ofChild: "Emma", RuleRequest([.init("points/use", "redeemFirst")]))
        let given = try await mum.latchkey("points", "adjust", "Emma", "+50", "--reason", "cleaned the kitchen")
        #expect(given.status == 0 && given.talk.contains("Emma gets 50 points."), "\(given)")
        try await eventually("the machine may spend it") { try await here(pc) == 50_000 }
        try await pc.restart()
        #expect(try await here(pc) == 50_000)
        let redeemed = try await pc.latchkey("redeem", "20")
        #expect(redeemed.status == 0 && redeemed.talk.contains("20 points became 20 min"), "\(redeemed)")
        try await pc.restart()
        #expect(try await pc.api.points(ofChild: nil, limit: 10).redeemedMilliseconds == 1_200_000)
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

    @Test("Points that are on one machine are spent on the other, whichever wants them")
    func twoMachines() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.rename(device: pc.name, RenameRequest(childName: "Emma"))
        _ = try await mum.api.setRules(ofChild: "Emma", RuleRequest([.init("points/use", "redeemFirst")]))
        _ = try await mum.api.adjustPoints(PointsAdjustment(child: "Emma", milliPoints: 50_000, reason: "x"))
        try await eventually("the only machine has all") { try await here(pc) == 50_000 }
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        try await lab.pair(mum, laptop)
        _ = try await mum.api.rename(device: laptop.name, RenameRequest(childName: "Emma"))
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
        _ = try await mum.api.adjustPoints(PointsAdjustment(child: "Emma", milliPoints: 9_000, reason: "x"))
        try await eventually("the PC knows") { try await balance(pc) == 9_000 }
        await mum.kill()
        let apart = try await pc.latchkey("redeem", "9")
        #expect(apart.status != 0 && apart.talk.contains("another machine"), "\(apart)")
      }
    }
  }
}
