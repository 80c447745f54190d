import Foundation
import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Small disks that a node fills by itself: nothing accepted is lost, nothing refused is half
  /// done, and it goes on.
  @Suite struct FullDiskTests {
    @Test(
      "Commands fill a parent's disk, and their delivery makes space again",
      arguments: Length.pick([4], thorough: [4, 12, 64]))
    func commands(mebibytes: Int) async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        guard let disk = try await SmallDisk.memory(lab, mebibytes: mebibytes) else { return }
        let parent = try await disk.node(.parent, "Small")
        try await parent.start()
        let child = try await lab.runningNode(.child, "Roomy")
        try await lab.pair(parent, child)
        #expect(await child.terminate() == .exited(0))

        var given = try await Self.give(parent, to: child.name)
        #expect(given.count > 20)
        try await expectFull(parent, "after \(given.count) commands on \(mebibytes) MB")
        // Killed and stopped, it starts again and answers.
        try await parent.restart()
        try await expectFull(parent, "killed, \(mebibytes) MB")
        #expect(await parent.terminate() == .exited(0))
        try await parent.start()
        try await expectFull(parent, "stopped, \(mebibytes) MB")
        if given.count <= 1_000 {
          #expect(try await parent.api.ask(Endpoints.getCommands, (nil, 1_000)).count == given.count)
        }
        #expect(try await parent.latchkey(["queue", "list"]).status == 0)

        try await child.start()
        for id in given { #expect(try await parent.ended(id).status == .executed) }
        try await eventually("nothing waits") { try await parent.hasNothingWaiting() }
        try await eventually("there is room") { try await parent.api.ask(Endpoints.getStatus).disk?.state == .well }
        try await print(parent, "delivered, \(mebibytes) MB")
        given.append(try await parent.issue(.message("afterwards"), to: child.name))
        #expect(try await parent.ended(given[given.count - 1]).status == .executed)
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        let received = try child.read { try Data.fetchAll($0, sql: "SELECT command_id FROM received_message") }
        #expect(Set(received.compactMap { CommandID(bytes: $0)?.description }) == Set(given))
        try expectSound(parent)
      }
    }

    @Test("Usage records fill a child's disk, and their delivery makes space again")
    func usage() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        guard let disk = try await SmallDisk.memory(lab, mebibytes: 4) else { return }
        let child = try await disk.node(.child, "Small")
        try await child.start()
        let parent = try await lab.runningNode(.parent, "Roomy")
        try await lab.pair(parent, child)
        #expect(await parent.terminate() == .exited(0))
        // A few hundred records fill the rest.
        try disk.fill()
        try await disk.run("truncate -s -\(Length.pick(150, thorough: 400))k $disk/filler")
        var given: Set<RecordID> = []
        do {
          while given.count < 100_000 {
            let use = try await DiskTrouble.startUse(of: "app.number\(given.count % 7)", on: child)
            try await DiskTrouble.endUse(use, on: child)
            given.insert(use.id)
          }
        } catch let error as LocalAPIError { #expect(error.code == .storage, "\(error)") }
        try await expectFull(child, "after \(given.count) records on 4 MB")
        try await child.restart()
        try await expectFull(child, "killed")
        // A session whose end was refused has ended with its program, and is one more.
        let kept = try await child.usage().count
        #expect([min(given.count, 10_000), min(given.count + 1, 10_000)].contains(kept), "\(kept) of \(given.count)")
        try await parent.start()
        try await eventually("nothing waits") { try await child.hasNothingWaiting() }
        try await eventually("there is room") { try await child.api.ask(Endpoints.getStatus).disk?.state == .well }
        let last = try await DiskTrouble.startUse(of: "afterwards", on: child)
        try await DiskTrouble.endUse(last, on: child)
        try await eventually("nothing waits") { try await child.hasNothingWaiting() }
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        let there = try parent.read { try Data.fetchAll($0, sql: "SELECT record_id FROM usage_record") }
        // A session whose end was refused may be open still, and is one more by then.
        #expect(Set(there.compactMap { RecordID(bytes: $0) }).isSuperset(of: given.union([last.id])))
        try expectSound(child)
      }
    }

    @Test(
      "A node starts on a disk without a free byte, delivers its queue, and continues when there is space",
      arguments: [true, false])
    func start(hasReserve: Bool) async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        guard let disk = try await SmallDisk.memory(lab, mebibytes: 8) else { return }
        let parent = try await disk.node(.parent, "Small")
        try await parent.start()
        let child = try await lab.runningNode(.child, "Roomy")
        try await lab.pair(parent, child)
        #expect(await child.terminate() == .exited(0))
        var given: [String] = []
        for number in 0..<20 { given.append(try await parent.issue(.message("message \(number)"), to: child.name)) }
        #expect(await parent.terminate() == .exited(0))
        if !hasReserve { try #require(unlink(parent.outside + "/latchkey.sqlite-reserve") == 0) }
        try disk.fill()
        try await parent.start()
        let process = await parent.pid
        try await expectFull(parent, hasReserve ? "started with a reserve" : "started without a reserve")
        let refused = await #expect(throws: LocalAPIError.self) {
          // The rest of the reserve may accept a few more.
          for _ in 0..<1_000 {
            given.append(
              try await parent.issue(.message(String(repeating: "x", count: 4_000)), to: child.name))
          }
        }
        #expect(refused?.code == .storage, "\(refused as Any)")
        try await child.start()
        try await eventually("the child has what waited") {
          try await child.api.ask(Endpoints.getStatus).messages.contains { $0.text == "message 19" }
        }
        #expect(try await parent.latchkey(["status"]).output.contains("The disk is full"))
        disk.makeRoom()
        try await eventually("there is room") { try await parent.api.ask(Endpoints.getStatus).disk?.state == .well }
        for id in given { #expect(try await parent.ended(id).status == .executed) }
        #expect(await parent.pid == process)
        #expect(await parent.terminate() == .exited(0))
        try expectSound(parent)
      }
    }

    /// Issues commands, several at a time, until one is refused.
    private static func give(_ parent: NodeProcess, to child: String) async throws -> [String] {
      let text = String(repeating: "x", count: 4_000)
      var given: [String] = []
      while given.count < 50_000 {
        let group = try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<16 {
            group.addTask {
              do { return try await parent.issue(.message(text), to: child) } catch let error as LocalAPIError {
                #expect(error.code == .storage && error.message.hasPrefix("The disk is full"), "\(error)")
                return nil
              }
            }
          }
          return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        given += group.compactMap { $0 }
        if group.contains(nil) { return given }
      }
      throw LabFault("It was never refused.")
    }

    private func expectFull(_ node: NodeProcess, _ note: String) async throws {
      try await eventually("it is said, \(note)") { try await node.api.ask(Endpoints.getStatus).disk?.state == .full }
      let status = try await node.api.ask(Endpoints.getStatus)
      #expect(status.warnings.contains { $0.hasPrefix("The disk is full") }, "\(status.warnings), \(note)")
      try await print(node, note)
    }

    private func print(_ node: NodeProcess, _ note: String) async throws {
      guard let disk = try await node.api.ask(Endpoints.getStatus).disk else { return }
      Swift.print(
        "FullDiskTests: \(note): \(disk.state.rawValue), database \(disk.databaseBytes >> 10) KB, log \(disk.logBytes >> 10) KB, "
          + "reserve \(disk.reserveBytes >> 10) KB, free \((disk.freeBytes ?? 0) >> 10) KB")
    }

    private func expectSound(_ node: NodeProcess) throws {
      let verdict = try node.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      #expect(verdict == ["ok"])
    }
  }
}
