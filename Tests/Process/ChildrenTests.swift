import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Children and accounts: said on one parent, held by the child's machine, known to all parents.
  @Suite struct ChildrenTests {
    private func names(_ node: NodeProcess) async throws -> [String] {
      try await node.api.ask(Endpoints.getChildren).map(\.name.text)
    }

    @Test("A machine that is paired for a child is the child's, and its parents know its accounts")
    func pairedForAChild() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine knows whose it is") { try await names(pc) == ["Emma"] }
        try await eventually("the parent knows the accounts") {
          try await !mum.api.ask(Endpoints.getAccounts, pc.name).isEmpty
        }
        let account = try #require(try await mum.api.ask(Endpoints.getAccounts, pc.name).first)
        #expect(try await pc.api.ask(Endpoints.getAccounts, nil).map(\.account).contains(account.account))

        let assigned = try await mum.api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: account.account.name, children: ["Emma"]))
        #expect(assigned.owner == .child && assigned.childNames.map(\.text) == ["Emma"])
        try await eventually("the machine knows whose the account is") {
          try await pc.api.ask(Endpoints.getAccounts, nil).first { $0.account == account.account }?.owner == .child
        }
        try await pc.restart()
        #expect(try await names(pc) == ["Emma"], "What was said survives kill -9.")

        // A second parent takes over the child that the machine has, and its name.
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        try await eventually("the second parent knows the accounts") {
          try await !dad.api.ask(Endpoints.getAccounts, nil).isEmpty
        }
        _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "emma")))
        #expect(try await names(dad) == ["Emma"])
        let ids = try await [
          mum.api.ask(Endpoints.getChildren)[0].childID, dad.api.ask(Endpoints.getChildren)[0].childID,
        ]
        #expect(ids[0] == ids[1], "Two parents mean the same child.")
        #expect(
          try await dad.api.ask(Endpoints.getAccounts, nil).first { $0.account == account.account }?.owner == .child)

        _ = try await dad.api.ask(Endpoints.renameChild, ("emm", ChildNameRequest(name: "Emmy")))
        try await eventually("the first parent knows the new name") { try await names(mum) == ["Emmy"] }
      }
    }

    @Test(
      "An account is the child's as the machine's owner said at its setup, when the machine is paired for the child")
    func statedAtSetup() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let pc = try await lab.node(.child, "Family PC", saying: ["--child", "Emma", "--account", NSUserName()])
        try await pc.start()
        try await eventually("the machine knows its accounts") {
          try await !pc.api.ask(Endpoints.getAccounts, nil).isEmpty
        }
        try await pc.restart()
        // With two children, no account is a child's because it is the machine's only one.
        let invited = try await mum.api.ask(
          Endpoints.invite, InviteRequest(childName: "emma, Ben", acceptWithoutAsking: true))
        #expect(try await lab.join(pc, try #require(invited.code)).outcome == .ok)
        try await eventually("the parent has assigned it") {
          try await mum.api.ask(Endpoints.getAccounts, nil).first { $0.account.name == NSUserName() }?.childNames.first?
            .text
            == "emma"
        }
        let own = try #require(
          try await mum.api.ask(Endpoints.getAccounts, nil).first { $0.account.name == NSUserName() })
        #expect(own.account.statedChild == "Emma")
        try await eventually("the machine knows that") {
          try await pc.api.ask(Endpoints.getAccounts, nil).first { $0.account == own.account }?.childNames.first?.text
            == "emma"
        }
        // What a parent decides holds, also when the machine says otherwise and is paired again.
        _ = try await mum.api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: NSUserName(), children: []))
        _ = try await mum.api.ask(Endpoints.deleteDevice, pc.name)
        try await eventually("the machine is unpaired") { try await pc.api.ask(Endpoints.getDevices).isEmpty }
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        let again = try await dad.api.ask(Endpoints.invite, InviteRequest(childName: "Emma", acceptWithoutAsking: true))
        #expect(try await lab.join(pc, try #require(again.code)).outcome == .ok)
        let accounts = try await dad.api.ask(Endpoints.waitForAccounts, pc.name)
        #expect(accounts.first { $0.account == own.account }?.owner == .nobody)
      }
    }

    @Test("Parents know what weakens their rules on a child's machine, until it is removed")
    func conditions() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        try await eventually("the machine knows that it has no agent of the system") {
          try await pc.api.ask(Endpoints.getConditions).contains {
            $0.isOwn && ["no-agent", "own-programs-only"].contains($0.condition.name)
          }
        }
        try await eventually("the parent knows it") {
          let (there, here) = try await (pc.api.ask(Endpoints.getConditions), mum.api.ask(Endpoints.getConditions))
          return !here.isEmpty && here.map(\.condition) == there.map(\.condition)
        }
        let told = try #require(try await mum.api.ask(Endpoints.getConditions).first)
        #expect(told.deviceName.text == pc.name && !told.isOwn && told.heardAt != nil)
        _ = try await mum.api.ask(Endpoints.deleteDevice, pc.name)
        #expect(try await mum.api.ask(Endpoints.getConditions).isEmpty)
      }
    }

    @Test("A machine that was off when a child was added gets it when it is back; a child removed is gone there")
    func offAndRemoved() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        try await eventually("the accounts are known") { try await !mum.api.ask(Endpoints.getAccounts, nil).isEmpty }
        #expect(await pc.terminate() == .exited(0))
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
        let account = try #require(try await mum.api.ask(Endpoints.getAccounts, nil).first)
        _ = try await mum.api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: account.account.name, children: ["e"]))
        try await mum.restart()
        let waiting = try #require(try await mum.api.ask(Endpoints.getChildren).first)
        #expect(waiting.machines.map(\.text) == [pc.name] && waiting.untold.map(\.text) == [pc.name])
        try await pc.start()
        try await eventually("the machine knows the child") { try await names(pc) == ["Emma"] }
        try await eventually("and the parent knows that") {
          try await mum.api.ask(Endpoints.getChildren)[0].untold.isEmpty
        }

        _ = try await mum.api.ask(Endpoints.removeChild, "Emma")
        try await eventually("the machine has forgotten the child") { try await names(pc).isEmpty }
        #expect(try await mum.api.ask(Endpoints.getChildren).isEmpty)
      }
    }

    @Test("A second parent knows the children that the machine has, and makes no second one of the same name")
    func knownToASecondParent() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine knows whose it is") { try await names(pc) == ["Emma"] }
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        try await eventually("the second parent knows the child") { try await names(dad) == ["Emma"] }
        try await eventually("and whose machine it is") {
          try await dad.api.ask(Endpoints.getDevices).first?.device.childName == "Emma"
        }
        let error = await #expect(throws: LocalAPIError.self) {
          _ = try await dad.api.ask(Endpoints.addChild, ChildNameRequest(name: "emma"))
        }
        #expect(error?.code == .invalid)
        // A child that is added later is known, too.
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Ben"))
        try await eventually("the accounts are known") { try await !mum.api.ask(Endpoints.getAccounts, nil).isEmpty }
        let account = try #require(try await mum.api.ask(Endpoints.getAccounts, nil).first)
        _ = try await mum.api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: account.account.name, children: ["Ben"]))
        try await eventually("the second parent knows the other child") { try await names(dad) == ["Ben", "Emma"] }
        #expect(
          try await dad.api.ask(Endpoints.getAccounts, nil).first { $0.account == account.account }?.childNames.first?
            .text
            == "Ben")
        // The machine's word alone brings it nothing of Ben's: the second parent says that it is
        // his.
        let set = try await dad.api.ask(Endpoints.setRules, ("Ben", RuleRequest([.init("lock", "on")])))
        #expect(set.rules.child.machines.isEmpty && set.rules.child.claimed.map(\.text) == [pc.name])
        _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Ben, Emma")))
        #expect(try await dad.api.ask(Endpoints.getRules, "Ben").child.claimed.isEmpty)
        try await eventually("the first parent sees the rule") {
          try await mum.api.ask(Endpoints.getRules, "Ben").rules.map(\.words) == ["locked"]
        }
        _ = try await mum.api.ask(Endpoints.renameChild, ("Ben", ChildNameRequest(name: "Benjamin")))
        try await eventually("the second parent's devices show the new name") {
          try await dad.api.ask(Endpoints.getDevices).first?.device.childName == "Benjamin, Emma"
        }
        _ = try await dad.api.ask(Endpoints.removeChild, "Benjamin")
        try await eventually("the machine has forgotten the child") { try await names(pc) == ["Emma"] }
        try await eventually("the first parent hears who did it") {
          try await mum.api.ask(Endpoints.getChildren).first { $0.name.text == "Benjamin" }?.taken.map(\.by.text) == [
            "Tom's laptop"
          ]
        }
        try await eventually("and the account is free") {
          try await mum.api.ask(Endpoints.getAccounts, nil).first { $0.account == account.account }?.owner == .open
        }
      }
    }

    @Test("What is set for a child is not taken back in silence")
    func noCancelling() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine knows whose it is") { try await names(pc) == ["Emma"] }
        #expect(await pc.terminate() == .exited(0))
        let edit = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "on")])))
        let error = await #expect(throws: LocalAPIError.self) {
          _ = try await mum.api.ask(Endpoints.cancelCommand, edit.commands[0].commandID.description)
        }
        #expect(error?.code == .invalid && error?.message.contains("set what you want instead") == true)
      }
    }

    @Test("What cannot be is refused with what to do", arguments: [true, false])
    func wrongInput(onParent: Bool) async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        guard onParent else {
          let error = await #expect(throws: LocalAPIError.self) {
            _ = try await pc.api.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
          }
          return #expect(error?.code == .wrongRole)
        }
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Emil"))
        for (text, code) in [("Em", LocalAPIError.Code.ambiguousChild), ("Ella", .unknownChild)] {
          let error = await #expect(throws: LocalAPIError.self) {
            _ = try await mum.api.ask(Endpoints.removeChild, text)
          }
          #expect(error?.code == code, "\(String(describing: error))")
        }
        let twice = await #expect(throws: LocalAPIError.self) {
          _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "EMMA"))
        }
        #expect(twice?.code == .invalid)
        let account = await #expect(throws: LocalAPIError.self) {
          _ = try await mum.api.ask(
            Endpoints.assignAccount, AccountRequest(device: nil, account: "nosuch", children: ["Emma"]))
        }
        #expect(account?.code == .unknownItem)
        let untold = try await mum.latchkey("message", "Dinner is ready", "--on", "emil")
        #expect(
          untold.status == 67 && untold.talk.contains("Emil has no machine yet: run `latchkey pair`"), "\(untold)")
      }
    }
  }
}
