import LatchkeyModel
import NIOCore
import NIOHTTP1

/// A client of the local API, which offers a running node as a `NodeInterface`.
///
/// Each request has its own connection, so that a node may restart between requests. If the node cannot be reached
/// after `open`, methods throw a `LocalAPIError` with the code `timeout`.
public struct ControlClient: Sendable {
  let stateFolder: String
  let timeout: Duration
  let longPollTimeout: Duration

  /// Creates a client of the node of a state folder, after checking that the node is running.
  ///
  /// - Parameters:
  ///   - stateFolder: A path of any length.
  ///   - timeout: The time limit for requests that the node answers immediately.
  ///   - longPollTimeout: The time limit for requests that the node may hold for up to 25 s.
  /// - Returns: A client of the running node.
  /// - Throws: `NodeUnavailable`, whose sentence says what to do.
  public static func open(
    stateFolder: String, timeout: Duration = .seconds(10), longPollTimeout: Duration = .seconds(40)
  ) async throws(NodeUnavailable) -> ControlClient {
    do {
      let channel = try await ControlConnection.open(stateFolder: stateFolder)
      try? await channel.executeThenClose { _, _ in }
    } catch {
      guard case .unavailable(let reason) = error else {
        throw NodeUnavailable(.notRunning, stateFolder: stateFolder)
      }
      throw NodeUnavailable(reason, stateFolder: stateFolder)
    }
    return ControlClient(stateFolder: stateFolder, timeout: timeout, longPollTimeout: longPollTimeout)
  }

  /// Sends a request to an endpoint and returns the answer.
  func ask<Input, Answer: Decodable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    do {
      let request = try endpoint.write(input)
      if let body = request.body, body.count > LocalJSON.requestBytes {
        throw LocalAPIError(.invalid, "The request is over 256 KiB: give less at once.")
      }
      let limit = endpoint.route.kind == .longPoll ? longPollTimeout : timeout
      let exchange: @Sendable () async throws -> (Int, [UInt8]) = { [stateFolder] in
        let answer = try await ControlConnection.exchange(
          stateFolder: stateFolder, method: request.method.rawValue, target: request.target.text, body: request.body)
        return (Int(answer.0), Array(answer.1))
      }
      let status: Int
      let answer: [UInt8]
      do {
        (status, answer) = try await Self.within(limit, exchange)
      } catch ExchangeFault.broken where request.method == .get {
        // A read changes nothing, so it can be repeated; a node that is still running answers.
        (status, answer) = try await Self.within(limit, exchange)
      }
      guard (200..<300).contains(status) else {
        throw (try? LocalJSON.decode(LocalAPIError.self, from: answer)) ?? Self.misunderstood
      }
      guard let value = try? LocalJSON.decode(Answer.self, from: answer) else { throw Self.misunderstood }
      return value
    } catch { throw self.error(for: error) }
  }

  /// Sends a request without input to an endpoint.
  func ask<Answer: Decodable>(_ endpoint: Endpoint<Void, Answer>) async throws(LocalAPIError) -> Answer {
    try await ask(endpoint, ())
  }

  /// Sends a request to an endpoint and returns its events as they arrive.
  ///
  /// The stream ends when the node stops.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - input: The values of the request.
  /// - Returns: The events.
  /// - Throws: `LocalAPIError` if the node refuses the request.
  func events<Input, Event: Decodable & Sendable>(
    of endpoint: Endpoint<Input, AsyncStream<Event>>, _ input: Input
  ) async throws(LocalAPIError) -> AsyncStream<Event> {
    do {
      let reader = EventReader<Event>(stateFolder: stateFolder, request: try endpoint.write(input))
      return try await Self.within(timeout) { try await reader.events() }
    } catch { throw self.error(for: error) }
  }

  private static let misunderstood = LocalAPIError(
    .internal,
    "The node's answer was not understood: restart it with `latchkey run`, so that both are of the same version.")

  private func error(for error: any Error) -> LocalAPIError {
    switch error {
    case let error as LocalAPIError: error
    case let fault as ExchangeFault: self.error(for: fault)
    case is CancellationError: LocalAPIError(.timeout, "The request was given up: try again.")
    default: LocalAPIError(.invalid, "The request cannot be written as JSON: check the values given.")
    }
  }

  private func error(for fault: ExchangeFault) -> LocalAPIError {
    switch fault {
    case .unavailable(let reason):
      LocalAPIError(.timeout, NodeUnavailable(reason, stateFolder: stateFolder).description)
    case .broken:
      LocalAPIError(
        .timeout,
        "The node ended the connection before it had answered: see that `latchkey run` is running, and that fewer than "
          + "\(ConnectionCounter.most) commands of this account wait for it, then look whether it was done.")
    case .timedOut:
      LocalAPIError(
        .timeout, "The node did not answer in time: see what `latchkey run` prints, then look whether it was done.")
    case .tooLong:
      LocalAPIError(.limit, "The answer is too long to hold: ask for a smaller range or fewer rows.")
    }
  }

  private static func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw ExchangeFault.timedOut
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw ExchangeFault.broken }
      return value
    }
  }
}
