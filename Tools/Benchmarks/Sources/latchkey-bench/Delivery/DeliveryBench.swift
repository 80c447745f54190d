import Foundation
import LatchkeyModel

/// Measures one figure after another, each with its own processes and folders.
final class DeliveryBench {
  struct Result {
    var rows: [BenchRow]
    /// How the figure was measured, for the reader of the table.
    var note: String
  }

  let mqttPeer: String
  let folder: String
  let messages: Int
  let size: Int
  let concurrency: Int
  let rounds: Int
  let children: Int
  let idleSeconds: Int
  let tell: (String) -> Void
  var measured: FleetMeasured?
  private var folders = 0
  private var ports = 28_900

  init(
    mqttPeer: String, folder: String, messages: Int, size: Int, concurrency: Int, rounds: Int, children: Int,
    idleSeconds: Int, tell: @escaping (String) -> Void
  ) {
    self.mqttPeer = mqttPeer
    self.folder = folder
    self.messages = messages
    self.size = size
    self.concurrency = concurrency
    self.rounds = rounds
    self.children = children
    self.idleSeconds = idleSeconds
    self.tell = tell
  }

  func run(_ figure: DeliveryFigure) async throws -> Result {
    tell("\(figure.rawValue) …")
    return switch figure {
    case .throughput: try throughput()
    case .drain: try drain()
    case .single: try single()
    case .return: try await comingBack()
    case .children: try manyChildren()
    case .growth: try growth()
    case .idle: try await idle()
    case .api: try await localAPI()
    }
  }

  /// Returns an unused path in this run's folder.
  func fresh(_ name: String) -> String {
    folders += 1
    return "\(folder)/\(folders)-\(name)"
  }

  func broker() throws -> Mosquitto {
    ports += 1
    return try Mosquitto(client: mqttPeer, folder: fresh("mosquitto"), port: ports)
  }

  /// A parent's worker and a child's, paired and connected.
  func pair() throws -> NodePair { try NodePair(folder: fresh("pair")) }

  /// The program `latchkey` beside this one.
  let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("latchkey").path

  /// The name of the child that `pairedProcesses` makes.
  static let childName = "bench child"

  /// Starts `latchkey run` for a parent and for a child, without mDNS, and pairs them.
  func pairedProcesses(_ name: String) async throws -> (parent: NodeProcess, child: NodeProcess) {
    let options = ["--no-discovery"]
    let parent = try await NodeProcess.start(
      tool: tool, folder: fresh("\(name)-parent"), role: .parent, name: "bench parent", options: options)
    let child = try await NodeProcess.start(
      tool: tool, folder: fresh("\(name)-child"), role: .child, name: Self.childName, options: options)
    let address = try await parent.address()
    _ = try await PairingRun(parent: parent, child: child, code: .pasted, address: address).run()
    return (parent, child)
  }
}

extension [Double] {
  /// The middle value; for an even number of values, the higher of the two.
  var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
