import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What parents are told on their desktop, by dunst on an X server without a screen.
  @Suite struct ParentNotifyTests {
    private func notify(_ node: NodeProcess, _ desktop: DunstDesktop) throws -> SpawnedProcess {
      try node.lab.spawn(
        BuiltProgram.path, ["notify", "--state-dir", node.folder], variables: desktop.variables, output: "/dev/null",
        talk: node.folder + ".notify.log")
    }

    private func state(_ node: NodeProcess) async throws -> RequestListing.State? {
      try await node.api.ask(Endpoints.getRequests, nil).first?.state
    }

    @Test(
      "What a child asks is shown on the desktops of both parents; a button of one answers, and the other disappears")
    func answered() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let dad = try await lab.runningNode(.parent, "Dad's laptop")
        try await lab.pair(dad, pc)
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        for node in [pc, dad] {
          try await eventually("the machine is Emma's") { try await !node.api.ask(Endpoints.getChildren).isEmpty }
        }
        // A parent that says whose machine it is gets the child's requests.
        _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let (mums, dads) = (try await DunstDesktop(lab), try await DunstDesktop(lab))
        let helper = try notify(mum, mums)
        _ = try notify(dad, dads)
        try await eventually("mum is shown that dad's machine has joined") { try await mums.count == 1 }
        try await mums.closeAll()

        let asked = try await pc.latchkey("ask", "45m", "--reason", "finish the level")
        // Who has it by then is named; the other parent gets it a moment later.
        #expect(asked.talk.contains("Kitchen laptop (") || asked.talk.contains("Dad's laptop ("), "\(asked)")
        for desktop in [mums, dads] { try await eventually("it is shown") { try await desktop.count == 1 } }
        // A service that takes the place of the first one shows it again.
        await mums.leave()
        try await mums.comeBack()
        try await eventually("it is shown again") { try await mums.count == 1 }

        try await mums.press("30 min")
        for node in [mum, dad, pc] {
          try await eventually("\(node.name) has the answer") { try await state(node) == .approved }
        }
        #expect(try await mum.api.ask(Endpoints.getRequests, nil).first?.answer?.minutes == 30)
        try await eventually("it has disappeared from dad's desktop") { try await dads.count == 0 }
        let gone = try #require(try await dads.history.first)
        #expect(gone.title.contains("Emma") && gone.body.contains("45 min"), "\(gone)")
        try await eventually("what became of it is shown on mum's") {
          try await mums.closeAll()
          return try await mums.history.contains { $0.body.hasPrefix("Emma gets 30 min.") }
        }

        // Neither a new helper nor a new node tells of it again.
        helper.signal(SIGKILL)
        _ = await helper.wait()
        try await mum.restart()
        let second = try notify(mum, mums)
        let shown = try await mums.history.count
        _ = try await pc.latchkey("ask", "5m")
        try await eventually("the next question is shown") { try await mums.count == 1 }
        // A third one takes over what a killed one has shown: it answers there, and withdraws it.
        second.signal(SIGKILL)
        _ = await second.wait()
        _ = try notify(mum, mums)
        try await eventually("it is answered there") {
          if try await mums.count == 1 { try await mums.press("15 min") }
          return try await pc.api.ask(Endpoints.getRequests, nil).first?.answer?.minutes == 15
        }
        try await eventually("it has made room for its outcome") {
          try await mums.closeAll()
          return try await mums.history.contains { $0.body.hasPrefix("Emma gets 15 min.") }
        }
        // The question is there as well if it was closed before its outcome took its place.
        let later = try await mums.history.dropLast(shown)
        let questions = later.filter { !$0.body.hasPrefix("Emma gets 15 min.") }
        #expect(later.count == questions.count + 1 && questions.count <= 1, "Nothing is told twice: \(later)")
      }
    }
  }
}
