import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport

/// A run that carries out a plan of deaths while two nodes are fed, and counts the results.
struct CrashRun {
  let parent: NodeProcess
  let child: NodeProcess
  let pace: CrashPace
  private(set) var deaths: [String: Int] = [:]

  init(parent: NodeProcess, child: NodeProcess, pace: CrashPace) {
    (self.parent, self.child, self.pace) = (parent, child, pace)
  }

  mutating func carryOut(_ plan: [CrashStep], _ random: inout SeededRandom) async throws {
    for step in plan {
      try await pace.reach(thousandths: random.below(1_000))
      switch step {
      case .random(let ofParent):
        await kill(ofParent)
        try await node(ofParent).start()
      case .named(let ofParent, let points):
        await kill(ofParent)
        for (point, times) in points { try await die(ofParent, point, times) }
        try await node(ofParent).start()
      case .restart(let ofParent, let point):
        let streamClass = ofParent ? StreamClass.command : .usage
        // A stream without stored items is not restarted.
        try await eventually("something of the \(streamClass.word) stream is stored") {
          try await node(ofParent).api.ask(Endpoints.getDevices).flatMap(\.queues).contains {
            $0.streamClass == streamClass && $0.storedThrough > 0
          }
        }
        await kill(!ofParent)
        try node(!ofParent).edit {
          try $0.execute(sql: "DELETE FROM inbox_stream WHERE class = ?", arguments: [Int(streamClass.rawValue)])
        }
        await kill(ofParent)
        try await node(ofParent).start(crashPoint: point)
        try await node(!ofParent).start()
        try await eventually("\(node(ofParent).name) dies at \(point)") { await !node(ofParent).isRunning }
        await count(ofParent, point)
        try await node(ofParent).start()
      }
    }
  }

  /// Starts a node that crashes at an instruction.
  ///
  /// If few items remain, it crashes the first time.
  private mutating func die(_ ofParent: Bool, _ point: String, _ times: Int) async throws {
    let node = node(ofParent)
    try await node.start(crashPoint: "\(point):\(times)")
    while await node.isRunning, await !pace.isSpent { try await Task.sleep(for: .milliseconds(10)) }
    if await node.isRunning {
      await kill(ofParent)
      try await node.start(crashPoint: point)
      try await eventually("\(node.name) dies at \(point)") { await !node.isRunning }
    }
    await count(ofParent, point)
  }

  private func node(_ ofParent: Bool) -> NodeProcess { ofParent ? parent : child }

  private mutating func kill(_ ofParent: Bool) async {
    await node(ofParent).kill()
    await count(ofParent, "a moment of chance")
  }

  private mutating func count(_ ofParent: Bool, _ place: String) async {
    deaths["\(ofParent ? "parent" : "child"): \(place)", default: 0] += 1
    await pace.countDeath()
  }
}
