import LatchkeyModel

/// A wait for the final status of a command, which continues while the node restarts.
struct CommandWaiter: Sendable {
  let node: any NodeInterface
  /// The time between two tries at a node that does not answer.
  var pause = Duration.milliseconds(250)

  /// Waits for the command.
  ///
  /// - Parameters:
  ///   - id: The command's ID, or a beginning of it.
  ///   - seconds: The longest time to wait.
  /// - Returns: The command in its final state, or as it is when the time is up; `nil` if the node cannot tell.
  /// - Throws: What the node answers for an ID that it does not know.
  func wait(_ id: String, seconds: Int) async throws -> ConfigurationCommand? {
    let ended = try await withThrowingTaskGroup(of: ConfigurationCommand?.self) { group in
      group.addTask { try await waitWithoutEnd(id) }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let ended { return ended }
    return try? await node.command(id: id)
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
      return try await node.waitForCommand(id: id)
    } catch {
      guard error.code == .timeout else { throw error }
      try await Task.sleep(for: pause)
      return nil
    }
  }
}
