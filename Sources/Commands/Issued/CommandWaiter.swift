import LatchkeyModel
import LatchkeyNode
import Synchronization

/// A wait for the final status of a command, which continues while the node restarts.
final class CommandWaiter: Sendable {
  private let node: any NodeInterface
  /// The time between two tries at a node that does not answer.
  private let pause: Duration
  /// Prints a sentence about the wait.
  private let tell: @Sendable (String) -> Void
  /// A Boolean value that indicates whether the node did not answer the last time.
  private let isSilent = Mutex(false)

  init(
    node: any NodeInterface, pause: Duration = .milliseconds(250), tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.node = node
    self.pause = pause
    self.tell = tell
  }

  /// Waits for several commands together.
  ///
  /// - Parameters:
  ///   - ids: The commands' IDs.
  ///   - seconds: The longest time to wait.
  /// - Returns: The commands in their final states, or as they are when the time is up, as far as
  ///   the node can tell.
  /// - Throws: What the node answers for an ID that it does not know.
  func wait(_ ids: [CommandID], seconds: Int) async throws -> [ConfigurationCommand] {
    let begun = ContinuousClock.now
    var commands: [ConfigurationCommand] = []
    // So many IDs fit a request.
    for start in stride(from: 0, to: ids.count, by: 100) {
      let rest = seconds - Int(begun.duration(to: .now).components.seconds)
      commands += try await waitTogether(Array(ids[start...].prefix(100)), seconds: max(1, rest))
    }
    return commands
  }

  private func waitTogether(_ ids: [CommandID], seconds: Int) async throws -> [ConfigurationCommand] {
    let list = ids.map(\.description).joined(separator: ",")
    let ended = try await within(seconds) {
      try await self.answer { () throws(LocalAPIError) in try await self.node.ask(Endpoints.waitForCommands, list) }
    } isEnd: {
      $0.allSatisfy(\.status.isFinal)
    }
    if let ended { return ended }
    var commands: [ConfigurationCommand] = []
    for id in ids {
      if let command = try? await node.ask(Endpoints.getCommand, id.description) { commands.append(command) }
    }
    return commands
  }

  /// Waits for the command.
  ///
  /// - Parameters:
  ///   - id: The command's ID, or a beginning of it.
  ///   - seconds: The longest time to wait.
  /// - Returns: The command in its final state, or as it is when the time is up; `nil` if the node
  ///   cannot tell.
  /// - Throws: What the node answers for an ID that it does not know.
  func wait(_ id: String, seconds: Int) async throws -> ConfigurationCommand? {
    let ended = try await within(seconds) {
      try await self.answer { () throws(LocalAPIError) in try await self.node.ask(Endpoints.waitForCommand, id) }
    } isEnd: {
      $0.status.isFinal
    }
    if let ended { return ended }
    return try? await node.ask(Endpoints.getCommand, id)
  }

  /// Looks until what it finds is an end; returns `nil` when the time is up.
  private func within<Found: Sendable>(
    _ seconds: Int, _ look: @escaping @Sendable () async throws -> Found?, isEnd: @escaping @Sendable (Found) -> Bool
  ) async throws -> Found? {
    try await withThrowingTaskGroup(of: Found?.self) { group in
      group.addTask {
        while true {
          if let found = try await look(), isEnd(found) { return found }
          try Task.checkCancellation()
        }
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Returns the node's answer; `nil`, after a pause, if the node could not be asked.
  private func answer<Answer>(_ ask: () async throws(LocalAPIError) -> Answer) async throws -> Answer? {
    do throws(LocalAPIError) {
      let answer = try await ask()
      isSilent.withLock { $0 = false }
      return answer
    } catch {
      guard error.code == .timeout else { throw error }
      // At the end of the time, this ends before the node has answered.
      try Task.checkCancellation()
      // Once for each silence.
      let isNews = isSilent.withLock { isSilent in
        defer { isSilent = true }
        return !isSilent
      }
      if isNews {
        tell("This machine's node does not answer: look whether `latchkey run` still runs. Waiting for it …")
      }
      try await Task.sleep(for: pause)
      return nil
    }
  }
}
