import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode

/// A child's day on one node, read anew after each change that the node tells of.
struct DayWatch {
  private let node: String
  private let child: String
  private let client: ControlClient
  private let changes: AsyncStream<ChangeEvent>
  /// The seconds after which an event counts as missing.
  private static let patience = 10

  /// Opens the stream of a node, whose display name is `name`.
  init(of child: String, on node: ControlClient, named name: String) async throws {
    (self.node, self.child, client) = (name, child, node)
    changes = try await node.ask(Endpoints.changeEvents, nil)
  }

  /// Waits until a program of the child is shown as running, or until none is, and returns the
  /// time.
  ///
  /// - Throws: `BenchFault` if that is not shown within ten seconds.
  func moment(isRunning: Bool) async throws -> Int64 {
    try await withThrowingTaskGroup(of: Int64.self) { group in
      defer { group.cancelAll() }
      group.addTask { [node, child, client, changes] in
        for await change in changes where [.start, .reset, .today].contains(change.about) {
          if try await client.ask(Endpoints.getToday, child).running.isEmpty != isRunning { return Durations.now() }
        }
        throw BenchFault("The stream of events of \(node) has ended.")
      }
      group.addTask { [node] in
        try await Task.sleep(for: .seconds(Self.patience))
        throw BenchFault(
          "\(node) has not shown within \(Self.patience) s that a program \(isRunning ? "has begun" : "has ended").")
      }
      guard let moment = try await group.next() else { throw BenchFault("Nothing was awaited of \(node).") }
      return moment
    }
  }
}
