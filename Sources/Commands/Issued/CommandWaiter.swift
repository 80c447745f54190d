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

  /// Waits for the command.
  ///
  /// - Parameters:
  ///   - id: The command's ID, or a beginning of it.
  ///   - seconds: The longest time to wait.
  /// - Returns: The command in its final state, or as it is when the time is up; `nil` if the node cannot tell.
  /// - Throws: What the node answers for an ID that it does not know.
  func wait(_ id: String, seconds: Int) async throws -> ConfigurationCommand? {
    let ended = try await withThrowingTaskGroup(of: ConfigurationCommand?.self) { group in
      group.addTask { try await self.waitWithoutEnd(id) }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let ended { return ended }
    return try? await node.ask(Endpoints.getCommand, id)
  }

  private func waitWithoutEnd(_ id: String) async throws -> ConfigurationCommand {
    while true {
      if let command = try await look(id), command.status.isFinal { return command }
      try Task.checkCancellation()
    }
  }

  /// Returns the command as it is; `nil`, after a pause, if the node could not be asked.
  private func look(_ id: String) async throws -> ConfigurationCommand? {
    do {
      let command = try await node.ask(Endpoints.waitForCommand, id)
      isSilent.withLock { $0 = false }
      return command
    } catch {
      guard error.code == .timeout else { throw error }
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
