import LatchkeyModel
import LatchkeyNode
import NIOCore
import NIOHTTP1

/// A client of the local API, through which programs ask a running node.
///
/// Each request has its own connection, so that a node may restart between requests. If the node
/// cannot be reached after `open`, methods throw a `LocalAPIError` with the code `timeout`.
public struct ControlClient: NodeInterface {
  let door: ControlDoor
  let timeout: Duration
  /// The time limit for requests that the node may hold for up to 25 s.
  private static let longPollTimeout = Duration.seconds(40)

  /// Creates a client of the node of a state folder, after checking that the node is running.
  ///
  /// `receiver` is the token of a receiver, for its bridge, and `browser` the cookie of a browser
  /// that was let in, for which the pages ask. By `key`, the node recognizes a repeated deed or
  /// edit. `timeout` is for requests that the node answers immediately.
  ///
  /// Throws `NodeUnavailable`, whose sentence says what to do.
  public static func open(
    stateFolder: String, receiver: String? = nil, browser: String? = nil, key: String? = nil,
    timeout: Duration = .seconds(10)
  ) async throws(NodeUnavailable) -> ControlClient {
    let door = ControlDoor(stateFolder: stateFolder, token: receiver, cookie: browser, key: key)
    do {
      let channel = try await ControlConnection.open(door)
      try? await channel.executeThenClose { _, _ in }
    } catch {
      guard case .unavailable(let reason) = error else { throw NodeUnavailable(.notRunning, stateFolder: stateFolder) }
      throw NodeUnavailable(reason, stateFolder: stateFolder)
    }
    return ControlClient(door: door, timeout: timeout)
  }

  /// Sends a request to an endpoint and returns its answer, or a stream of events.
  public func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    let request: OutgoingRequest
    do { request = try endpoint.write(input) } catch {
      throw LocalAPIError(.invalid, "The request cannot be written as JSON: check the values given.")
    }
    do {
      if let body = request.body, body.count > LocalJSON.requestBytes {
        throw LocalAPIError(.invalid, "The request is over 256 KiB: give less at once.")
      }
      return try await endpoint.receive(
        ControlExchange(
          door: door, request: request, limit: endpoint.route.kind == .longPoll ? Self.longPollTimeout : timeout))
    } catch { throw self.error(for: error) }
  }

  private func error(for error: any Error) -> LocalAPIError {
    switch error {
    case let error as LocalAPIError: error
    case is CancellationError: LocalAPIError(.timeout, "The request was given up: try again.")
    case ExchangeFault.unavailable(let reason):
      LocalAPIError(.timeout, NodeUnavailable(reason, stateFolder: door.stateFolder).description)
    case ExchangeFault.broken:
      LocalAPIError(
        .timeout,
        "The node ended the connection before it had answered: see that `latchkey run` is running, and that fewer than "
          + "\(ConnectionCounter.most) commands of this account wait for it, then look whether it was done.")
    case ExchangeFault.timedOut:
      LocalAPIError(
        .timeout, "The node did not answer in time: see what `latchkey run` prints, then look whether it was done.")
    case ExchangeFault.tooLong:
      LocalAPIError(.limit, "The answer is too long to hold: ask for a smaller range or fewer rows.")
    default: .misunderstood
    }
  }
}

extension LocalAPIError {
  fileprivate static let misunderstood = LocalAPIError(
    .internal,
    "The node's answer was not understood: restart it with `latchkey run`, so that both are of the same version.")
}

/// A request over a connection of its own.
private struct ControlExchange: Exchange {
  let door: ControlDoor
  let request: OutgoingRequest
  /// The time limit for the answer, or for the start of a stream.
  let limit: Duration

  func bytes() async throws -> [UInt8] {
    let exchange: @Sendable () async throws -> (status: Int, body: [UInt8]) = { [door, request] in
      try await ControlConnection.exchange(
        door, method: request.method.rawValue, target: request.target.text, body: request.body)
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
      throw (try? LocalJSON.decode(LocalAPIError.self, from: answer)) ?? .misunderstood
    }
    return answer
  }

  /// Returns the events; the stream ends when the node stops.
  func events<Event: Decodable & Sendable>(of type: Event.Type) async throws -> AsyncStream<Event> {
    let reader = EventReader<Event>(door: door, request: request)
    return try await Self.within(limit) { try await reader.events() }
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

/// The reason why no node can be reached, with the next step.
public struct NodeUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    /// There is no state folder yet.
    case notInitialised
    /// No process listens on the folder's socket.
    case notRunning
    /// The folder or its socket belongs to another user.
    case notPermitted
    /// Other users may change the folder, so that one of them could answer in place of the node.
    case notPrivate
  }

  public var reason: Reason
  public var stateFolder: String

  public init(_ reason: Reason, stateFolder: String) {
    self.reason = reason
    self.stateFolder = stateFolder
  }

  /// A sentence with the fault and the next step.
  public var description: String {
    switch reason {
    case .notRunning where stateFolder == SystemNode.stateFolder:
      "This machine's Latchkey service is not running: start it with `sudo systemctl start latchkey`, or see why it ended "
        + "with `systemctl status latchkey`."
    case .notInitialised:
      "There is no Latchkey state folder at \(stateFolder): make one with `latchkey init --role parent|child --name NAME "
        + "--state-dir \(shown)`, or name another one with --state-dir."
    case .notRunning: "No node is running for \(stateFolder): start it with `latchkey run --state-dir \(shown)`."
    case .notPermitted:
      "The node of \(stateFolder) belongs to another user: run the command as that user, or name your own folder with "
        + "--state-dir."
    case .notPrivate:
      "The state folder \(stateFolder) is a symbolic link, or others may use it: run `chmod 700 \(shown)`, or name the folder "
        + "itself with --state-dir."
    }
  }

  private var shown: String { Self.shellWord(stateFolder) }

  /// Returns a folder in a form that can be pasted into a shell.
  static func shellWord(_ folder: String) -> String {
    let isPlain = folder.utf8.allSatisfy {
      $0.isLetterOrDigit || $0 >= 0x80 || "/.-_+".utf8.contains($0)
    }
    return isPlain ? folder : "'" + folder.replacing("'", with: #"'\''"#) + "'"
  }
}
