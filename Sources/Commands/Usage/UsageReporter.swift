import LatchkeyModel
import LatchkeyNode

/// Reports a session's start and end to the node, and does not give up when the node is just
/// restarting.
struct UsageReporter: Sendable {
  let node: any NodeInterface
  /// The time for which a report is retried.
  let patience: Duration
  /// Between two tries.
  var pause = Duration.milliseconds(250)

  /// Reports the start; it returns when the session is durable at the node.
  func start(_ program: any RecordedProgram, app: AppID, name: String?, zone: String) async throws(LocalAPIError)
    -> UsageStarted
  {
    let request = UsageStartRequest(
      appID: app.text, displayName: name, processID: program.processID, processStartTime: program.processStartTime,
      startedAt: program.startedAt, startedAtWall: program.startedAtWall, zone: zone)
    return try await retried { () throws(LocalAPIError) in try await node.ask(Endpoints.startUsage, request) }
  }

  /// Asks the node to check whether the session has ended, so that its record is durable on return.
  ///
  /// It is not an error if another window of the application continues the session.
  ///
  /// - Parameter recordID: The ID of the session's record.
  /// - Throws: `LocalAPIError` if the node refuses or cannot be reached.
  func end(_ recordID: RecordID) async throws(LocalAPIError) {
    do throws(LocalAPIError) {
      _ = try await retried { () throws(LocalAPIError) in try await node.ask(Endpoints.endUsage, recordID.description) }
    } catch {
      guard error.code == .stillRunning else { throw error }
    }
  }

  private func retried<Value: Sendable>(
    _ report: () async throws(LocalAPIError) -> Value
  ) async throws(LocalAPIError) -> Value {
    let deadline = ContinuousClock.now + patience
    while true {
      do {
        return try await report()
      } catch {
        // Only a node that cannot be reached is worth asking again; a refusal stays one.
        guard error.code == .timeout, ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
        try? await Task.sleep(for: pause)
      }
    }
  }
}
