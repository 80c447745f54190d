import Foundation
import LatchkeyControl
import LatchkeyModel

/// How soon the use of one of a child's machines is known on its parent's and on the child's other machine.
///
/// The nodes are real processes on loopback. The peer of a figure is what no way over three machines can do without: three
/// synchronized writes, one on each machine, and the way over loopback between them.
struct SharedUseBench {
  let folder: String
  let rounds: Int
  private static let child = "Emma"

  func rows() async throws -> [BenchRow] {
    let parent = try await start("parent", .parent)
    defer { parent.stop() }
    let address = try await parent.address()
    var machines: [NodeProcess] = []
    defer { for machine in machines { machine.stop() } }
    for name in ["first", "second"] {
      let machine = try await start(name, .child)
      machines.append(machine)
      _ = try await PairingRun(parent: parent, child: machine, code: .pasted, address: address).run()
      _ = try await parent.client.rename(device: name, RenameRequest(childName: Self.child))
    }
    let (first, second, parents) = (machines[0].client, machines[1].client, parent.client)
    try await served(on: machines)
    let floor = try DiskAndLoopback(folder: folder)
    defer { floor.close() }
    var (onParent, onSibling, ended, peer): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<rounds {
      let program = Process()
      program.executableURL = URL(fileURLWithPath: "/bin/sleep")
      program.arguments = ["600"]
      try program.run()
      async let parentHeard = Self.moment(on: parents, isRunning: true)
      async let siblingHeard = Self.moment(on: second, isRunning: true)
      let began = Durations.now()
      _ = try await first.startUsage(try request(of: program))
      onParent.append(Double(try await parentHeard - began) / 1_000)
      onSibling.append(Double(try await siblingHeard - began) / 1_000)
      async let siblingHeardEnd = Self.moment(on: second, isRunning: false)
      let ending = Durations.now()
      program.terminate()
      ended.append(Double(try await siblingHeardEnd - ending) / 1_000)
      program.waitUntilExit()
      peer.append(try floor.measure(50).median * 1.5)
    }
    let target = "under 1 s"
    return [
      BenchRow(
        "a program has begun: the parent shows it", onParent.median, "ms", peer: peer.median, target: target,
        met: onParent.median < 1_000),
      BenchRow(
        "  the child's other machine counts it", onSibling.median, "ms", peer: peer.median, target: target,
        met: onSibling.median < 1_000),
      BenchRow(
        "  it has ended: the other machine has its record", ended.median, "ms", peer: peer.median, target: target,
        met: ended.median < 1_000),
    ]
  }

  private func start(_ name: String, _ role: DeviceRole) async throws -> NodeProcess {
    let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("latchkey").path
    return try await NodeProcess.start(
      tool: tool, folder: "\(folder)/shared-\(name)", role: role, name: name, options: ["--no-discovery"])
  }

  /// Waits until both machines know that they are the child's.
  private func served(on machines: [NodeProcess]) async throws {
    let deadline = Durations.now() + 20_000_000
    for machine in machines {
      while (try? await machine.client.today(ofChild: Self.child)) == nil {
        guard Durations.now() < deadline else { throw BenchFault("A machine does not hear whose it is.") }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Returns the moment at which a node shows that a program of the child runs, or that none does.
  private static func moment(on node: ControlClient, isRunning: Bool) async throws -> Int64 {
    for await today in try await node.todayEvents(ofChild: child)
    where today.running.isEmpty != isRunning {
      return Durations.now()
    }
    throw BenchFault("A node has ended.")
  }

  private func request(of program: Process) throws -> UsageStartRequest {
    let id = program.processIdentifier
    let stat = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let startTime = UInt64(fields[19]) else { throw BenchFault("A program has no start.") }
    return UsageStartRequest(
      appID: "org.example.lesson", processID: id, processStartTime: startTime,
      startedAt: BootInstant(milliseconds: Durations.now() / 1_000),
      startedAtWall: Int64(Date().timeIntervalSince1970 * 1_000), zone: "UTC")
  }
}
