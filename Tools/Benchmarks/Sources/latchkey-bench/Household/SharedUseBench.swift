import Foundation
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode

/// The time until the use of one of a child's machines counts on the child's other machine, through
/// the parent's.
///
/// The nodes are real processes on loopback. The yardstick is one plain command between two nodes,
/// from the request to the commit on the other side.
struct SharedUseBench {
  let folder: String
  /// The number of sessions, one after the other.
  let sessions: Int
  private static let child = "Emma"
  private static let app = "org.example.lesson"
  /// The number of commands that are relayed for each session, one at a time.
  private static let commands = 20

  func rows() async throws -> [BenchRow] {
    var nodes: [NodeProcess] = []
    defer { for node in nodes { node.stop() } }
    for (name, role) in [("parent", DeviceRole.parent), ("first", .child), ("second", .child)] {
      nodes.append(try await start(name, role))
    }
    let (parent, first, second) = (nodes[0], nodes[1], nodes[2])
    let address = try await parent.address()
    for (machine, name) in [(first, "first"), (second, "second")] {
      _ = try await PairingRun(parent: parent, child: machine, code: .pasted, address: address).run()
      _ = try await parent.client.ask(Endpoints.renameDevice, (name, RenameRequest(childName: Self.child)))
    }
    _ = try await parent.client.ask(
      Endpoints.setRules,
      (
        Self.child,
        RuleRequest([
          .init("limits/daily", "120"), .init("app/\(Self.app)/category", "learning"),
          .init("app/\(Self.app)/rate", "1000"),
        ])
      ))
    try await until("a machine has not heard whose it is and what its rules are") {
      for machine in [first, second] {
        guard let rules = try? await machine.client.ask(Endpoints.getRules, Self.child).rules, rules.count == 2 else {
          return false
        }
      }
      return true
    }
    let peers = try NodePair(folder: "\(folder)/command")
    defer { peers.end() }
    let watch = try await DayWatch(of: Self.child, on: second.client, named: "the child's other machine")
    var (begun, ended): (Durations, Durations) = (Durations(), Durations())
    var commands: [Double] = []
    for _ in 0..<sessions {
      let program = try UsedProgram()
      defer { program.end() }
      async let heard = watch.moment(isRunning: true)
      let began = Durations.now()
      _ = try await first.client.ask(Endpoints.startUsage, try program.request(Self.app))
      begun.record(try await heard - began)
      async let heardEnd = watch.moment(isRunning: false)
      let ending = Durations.now()
      program.end()
      ended.record(try await heardEnd - ending)
      let answer = try peers.parent.ask("relay \(Self.commands) 200 1", "relayed")
      guard answer.count > 2 else { throw BenchFault("A worker does not say how long a command took.") }
      commands.append(Double(answer[2]) / 1e3)
    }
    try await until("the three nodes do not agree about the child's day") {
      let totals = try await [parent, first, second].used(by: Self.child)
      return totals.count == 1 && totals != [0]
    }
    return rows("a program begins: the child's other machine shows it", begun, commands.median)
      + rows("it ends: the child's other machine has its record", ended, commands.median)
  }

  private func rows(_ name: String, _ durations: Durations, _ peer: Double) -> [BenchRow] {
    [("\(name), median", 50), ("  95th percentile", 95), ("  the longest", 100)].map { name, percentile in
      let taken = durations.percentile(percentile)
      return BenchRow(
        name, taken, "ms", peer: percentile == 50 ? peer : nil, target: "under 1 s", met: taken < 1_000)
    }
  }

  private func start(_ name: String, _ role: DeviceRole) async throws -> NodeProcess {
    let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("latchkey").path
    return try await NodeProcess.start(
      tool: tool, folder: "\(folder)/\(name)", role: role, name: name, options: ["--no-discovery"], hasAgent: true)
  }

  /// Waits up to 20 s until a condition holds; `complaint` says what does not hold.
  private func until(_ complaint: String, _ holds: () async throws -> Bool) async throws {
    let deadline = Durations.now() + 20_000_000
    while try await !holds() {
      guard Durations.now() < deadline else { throw BenchFault("After 20 s, \(complaint).") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

extension [NodeProcess] {
  /// Returns the different times for which these nodes show that a child used anything today, in
  /// milliseconds.
  fileprivate func used(by child: String) async throws -> Set<Int64> {
    var totals: Set<Int64> = []
    for node in self { totals.insert(try await node.client.ask(Endpoints.getToday, child).usedMilliseconds) }
    return totals
  }
}
