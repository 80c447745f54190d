import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// How much the disk is worked, counted where the node asks for it.
  @Suite struct DiskWorkTests {
    @Test("Every accepted item is on the disk when it is acknowledged, one by one")
    func eachIsSynced() async throws {
      try await ProcessLab.run { lab in
        let (parent, child, disk) = try await family(lab, counted: .parent)
        await child.kill()
        for number in 0..<20 {
          let before = disk.syncs
          _ = try await parent.issue(.message("message \(number)"), to: child.name)
          #expect(disk.syncs > before, "command \(number) was accepted and is not on the disk")
        }
      }
    }

    @Test("A queue is delivered with a few syncs on both sides", arguments: [DeviceRole.parent, .child])
    func fewSyncs(counted: DeviceRole) async throws {
      try await ProcessLab.run { lab in
        let (parent, child, disk) = try await family(lab, counted: counted)
        #expect(await child.terminate() == .exited(0))
        var last = ""
        for number in 0..<100 { last = try await parent.issue(.message("message \(number)"), to: child.name) }
        if counted == .child { unlink(disk.counter) }
        let before = disk.syncs
        try await child.start()
        #expect(try await parent.ended(last).status == .executed)
        try await eventually("nothing waits") { try await child.hasNothingWaiting() }
        let syncs = disk.syncs - before
        print("DiskWorkTests: 100 commands and their receipts, \(syncs) syncs on the \(counted.rawValue)")
        #expect((1...20).contains(syncs))
      }
    }

    @Test("While a sync hangs, the node answers and keeps its sessions, and arriving items become one commit")
    func waitsForNoDisk() async throws {
      try await ProcessLab.run { lab in
        let (parent, child, disk) = try await family(lab, counted: .parent)
        let before = disk.syncs
        try disk.order("sync hold")
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { _ = try await parent.issue(.message("first"), to: child.name) }
          try await eventually("the sync hangs") { disk.syncs > before }
          for number in 0..<100 {
            group.addTask { _ = try await parent.issue(.message("message \(number)"), to: child.name) }
          }
          // Answered by the event loop that carries those, too: they have arrived when these have.
          for _ in 0..<40 {
            let status = try await parent.api.ask(Endpoints.getStatus)
            #expect(status.peers.allSatisfy(\.isConnected) && status.warnings.isEmpty)
          }
          #expect(try await parent.api.ask(Endpoints.getCommands, (child.name, 1_000)).isEmpty)
          let held = disk.syncs
          disk.heal()
          try await group.waitForAll()
          let syncs = disk.syncs - held
          print("DiskWorkTests: 100 commands at one time, \(syncs) syncs")
          #expect(syncs <= 25)
        }
        try await eventually("nothing waits") { try await parent.hasNothingWaiting() }
      }
    }

    @Test("Two idle nodes write nothing and hardly wake")
    func idle() async throws {
      try await ProcessLab.run { lab in
        let (parent, child, disk) = try await family(lab, counted: .child)
        _ = try await parent.ended(parent.issue(.message("the last"), to: child.name))
        for node in [parent, child] { try await eventually("nothing waits") { try await node.hasNothingWaiting() } }
        let pids = [await parent.pid, await child.pid].compactMap { $0 }
        // The work after a delivery, such as recording its time, is over when no thread wakes for a
        // second.
        for _ in 0..<15 {
          let before = try pids.map(Self.wakeUps)
          // One second between two readings of the kernel's counters, which wake no thread.
          try await Task.sleep(for: .seconds(1))
          if try zip(pids, before).allSatisfy({ try Self.wakeUps(of: $0, since: $1) <= 10 }) { break }
        }
        let (syncs, writes) = (disk.syncs, disk.writes)
        let before = try pids.map(Self.wakeUps)
        // That nothing happens has no event to wait for: this is the time that is looked at. One
        // keep-alive falls into it.
        try await Task.sleep(for: .seconds(20))
        let wakeUps = try zip(pids, before).map { try Self.wakeUps(of: $0, since: $1) }
        print("DiskWorkTests: \(wakeUps) wake-ups in 20 s of two idle nodes")
        #expect(wakeUps.allSatisfy { $0 <= 100 })
        #expect(disk.syncs == syncs && disk.writes == writes)
      }
    }

    /// Creates a family in which one node is on a disk that counts its operations.
    private func family(_ lab: ProcessLab, counted: DeviceRole) async throws -> (NodeProcess, NodeProcess, FaultyDisk) {
      let disk = FaultyDisk(lab)
      let parent = try await lab.node(.parent, "Kitchen laptop")
      let child = try await lab.node(.child, "Emma's PC")
      await (counted == .parent ? parent : child).use(disk.variables)
      for node in [parent, child] { try await node.start() }
      try await lab.pair(parent, child)
      return (parent, child, disk)
    }

    /// Returns the number of times that each thread of a process was woken.
    private static func wakeUps(of process: pid_t) throws -> [String: Int] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").reduce(into: [:]) { counts, thread in
        let lines = ProcessLab.read("/proc/\(process)/task/\(thread)/status").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
        counts[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
      }
    }

    /// Returns the number of wake-ups since an earlier reading, of the threads that still exist.
    private static func wakeUps(of process: pid_t, since before: [String: Int]) throws -> Int {
      try wakeUps(of: process).reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
    }
  }
}
