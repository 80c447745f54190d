import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// A node whose disk fails it: says so, keeps what it has, takes nothing new, and goes on by
  /// itself when the disk is well.
  @Suite struct DiskTests {
    @Test("A full disk is reported, refuses new work and loses nothing, and is used again when there is space")
    func full() async throws {
      try await Self.each([DeviceRole.child, .parent]) { role in
        try await ProcessLab.run(hasAgents: true) { lab in
          guard let disk = try await SmallDisk.memory(lab, mebibytes: 8) else { return }
          let sick = try await disk.node(role, "Small")
          try await sick.start()
          let other = try await lab.runningNode(role == .child ? .parent : .child, "Roomy")
          let trouble = DiskTrouble(
            parent: role == .parent ? sick : other, child: role == .child ? sick : other, sick: sick,
            sentence: "The disk is full", note: "\(role.rawValue) on a full disk")
          try await trouble.run(fall: { try disk.fill() }, rise: { disk.makeRoom() })
        }
      }
    }

    private struct Fault: Sendable {
      var role: DeviceRole
      var order: String
      var sentence = "The disk reported a fault"
    }

    @Test("A disk whose syncs or writes fail acknowledges nothing, and nothing is lost once it works again")
    func faulty() async throws {
      let usual = [
        Fault(role: .child, order: "sync 5"), Fault(role: .parent, order: "write 28", sentence: "The disk is full"),
      ]
      let others = [
        Fault(role: .parent, order: "sync 5"), Fault(role: .child, order: "write 5"),
        // The errors of a file system that became read-only, and of one with an exhausted quota.
        Fault(role: .child, order: "write 30", sentence: "The state folder's disk is read-only"),
        Fault(role: .parent, order: "write 122", sentence: "The disk is full"),
      ]
      try await Self.each(usual + Length.pick([], thorough: others)) { fault in
        try await ProcessLab.run(hasAgents: true) { lab in
          let disk = FaultyDisk(lab)
          let sick = try await lab.node(fault.role, "Sick")
          await sick.use(disk.variables)
          try await sick.start()
          let other = try await lab.runningNode(fault.role == .child ? .parent : .child, "Well")
          let trouble = DiskTrouble(
            parent: fault.role == .parent ? sick : other, child: fault.role == .child ? sick : other, sick: sick,
            sentence: fault.sentence, note: "\(fault.role.rawValue), \(fault.order)")
          try await trouble.run(fall: { try disk.order(fault.order) }, rise: { disk.heal() })
          #expect(disk.syncs > 0)
        }
      }
    }

    /// Tries all at one time, since most of it is waiting.
    private static func each<Case: Sendable>(
      _ cases: [Case], _ body: @escaping @Sendable (Case) async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for one in cases { group.addTask { try await body(one) } }
        try await group.waitForAll()
      }
    }

    @Test("A node does not start on a read-only disk, states the reason, and starts once the disk is writable")
    func readOnly() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        guard let disk = try await SmallDisk.memory(lab, mebibytes: 8) else { return }
        let child = try await disk.node(.child, "Small")
        try await child.start()
        let parent = try await lab.runningNode(.parent, "Roomy")
        try await lab.pair(parent, child)
        #expect(await child.terminate() == .exited(0))
        let id = try await parent.issue(.message("while it is away"), to: child.name)
        let frozen = try await disk.run("mount -t tmpfs -o remount,ro none $disk")
        try #require(frozen.status == 0, "\(frozen)")
        let refused = try await child.latchkey(["run", "--interfaces", "lo", "--no-discovery"])
        #expect(refused.status > 0 && refused.talkLines.count == 1, "\(refused)")
        #expect(refused.talk.contains("disk is read-only: mount it writable"), "\(refused)")
        try await disk.run("mount -t tmpfs -o remount,rw none $disk")
        try await child.start()
        #expect(try await parent.ended(id).status == .executed)
      }
    }

    @Test(
      "A database that was damaged while the node was stopped is set aside completely, and a new one is created"
    )
    func damagedWhileStopped() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        for number in 0..<30 { _ = try await parent.ended(parent.issue(.message("message \(number)"), to: child.name)) }
        #expect(await child.terminate() == .exited(0))
        try damage(child)
        let damaged = FileManager.default.contents(atPath: child.database)
        let refused = try await child.latchkey("run", "--interfaces", "lo", "--no-discovery")
        #expect(refused.status > 0 && refused.talkLines.count == 1, "\(refused)")
        let aside = child.database + ".damaged-1"
        #expect(refused.talk.contains("is damaged and was set aside as \(aside)"), "\(refused)")
        #expect(FileManager.default.contents(atPath: aside) == damaged)
        try await child.start()
        let status = try await child.api.ask(Endpoints.getStatus)
        #expect(status.peers.isEmpty && status.warnings.contains { $0.contains(aside) }, "\(status)")
        // Paired again it is sent what it has lost, before anything new.
        try await lab.pair(parent, child)
        #expect(try await parent.ended(parent.issue(.message("anew"), to: child.name)).status == .executed)
        #expect(await child.terminate() == .exited(0))
        let received = try child.read {
          try String.fetchAll($0, sql: "SELECT text FROM received_message ORDER BY received_at, command_id")
        }
        #expect(received == (0..<30).map { "message \($0)" } + ["anew"])
      }
    }

    @Test(
      "Damage of the database of a running node is detected, stops new work, and the next start sets the database aside"
    )
    func damagedWhileRunning() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        for number in 0..<30 { _ = try await parent.ended(parent.issue(.message("message \(number)"), to: child.name)) }
        // Written back into the file, and out of the node's memory.
        #expect(await child.terminate() == .exited(0))
        try await child.start()
        try await eventually("they are connected") { try await parent.isConnected() }
        try damage(child)
        try await eventually("the damage is met") {
          do {
            return try await child.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("is damaged") }
          } catch let error
            as LocalAPIError
          {
            #expect(error.code == .storage && error.message.contains("is damaged"), "\(error)")
            return true
          }
        }
        // Refused, although not every page is damaged, and for as long as it runs.
        let held = try await parent.api.ask(
          Endpoints.issue, CommandRequest(device: child.name, action: .message("not to be taken")))
        for _ in 0..<3 {
          let error = await #expect(throws: LocalAPIError.self) { try await startUse(child) }
          #expect(error?.code == .storage && error?.message.contains("start it again") == true, "\(error as Any)")
        }
        #expect(await child.terminate() == .exited(0))
        #expect(try await parent.api.ask(Endpoints.getCommand, held.commandID.description).status == .queued)
        let refused = try await child.latchkey("run", "--interfaces", "lo", "--no-discovery")
        #expect(refused.talk.contains("was set aside as"), "\(refused)")
      }
    }

    /// Overwrite most pages, but not the first one.
    private func damage(_ node: NodeProcess) throws {
      let file = try #require(FileHandle(forUpdatingAtPath: node.database))
      let pages = try Int(file.seekToEnd()) / 4_096
      try #require(pages > 8)
      for page in 1..<pages {
        try file.seek(toOffset: UInt64(page * 4_096))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
      }
      try file.close()
    }

    private func startUse(_ child: NodeProcess) async throws {
      _ = try await DiskTrouble.startUse(of: "a.b", on: child)
    }
  }
}
