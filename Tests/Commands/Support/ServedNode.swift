import Glibc
import LatchkeyModel
import Logging
import ServiceLifecycle
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// A node behind the real server, in a folder of a test.
struct ServedNode: Sendable {
  let folder: String
  let client: ControlClient
  private let group: ServiceGroup

  /// Serves what is a node to each caller while `body` runs, then stops it like a signal.
  static func with(
    _ node: @escaping ControlResponder.Node, in folder: String,
    recognize: @escaping ControlResponder.Recognition = Self.asNodeUser,
    _ body: (ServedNode) async throws -> Void
  ) async throws {
    let (running, told) = AsyncStream<Void>.makeStream()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = ControlService(node: node, stateFolder: folder, logger: logger, recognize: recognize) { told.yield() }
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [service], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { told.finish() }
        try await group.run()
      }
      var iterator = running.makeAsyncIterator()
      guard await iterator.next() != nil else { return try await tasks.waitForAll() }
      let client = try await ControlClient.open(stateFolder: folder)
      try await body(ServedNode(folder: folder, client: client, group: group))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  /// The same node for all callers, in a folder of its own if none is given.
  static func with(
    _ node: any NodeInterface, in folder: String? = nil,
    recognize: @escaping ControlResponder.Recognition = Self.asNodeUser, _ body: (ServedNode) async throws -> Void
  ) async throws {
    if let folder { return try await with({ _ in node }, in: folder, recognize: recognize, body) }
    try await TemporaryFolder.with { try await with({ _ in node }, in: $0, recognize: recognize, body) }
  }

  /// Recognizes the caller by the kernel's record, like a node; the user of the test is the node's
  /// user.
  static let asNodeUser: ControlResponder.Recognition = { context in
    guard let credentials = await context.credentials() else { return nil }
    return await Caller(credentials, ofNodeOf: geteuid())
  }

  /// Stops the server like SIGTERM; it ends after the open requests.
  func stop() async {
    await group.triggerGracefulShutdown()
  }

  /// Sends a request that this project's client would not send.
  func ask(_ method: String, _ target: String, body: String? = nil) async throws -> (status: Int, error: LocalAPIError?)
  {
    let (status, bytes) = try await ControlConnection.exchange(
      ControlDoor(stateFolder: folder), method: method, target: target, body: body.map { Array($0.utf8) })
    return (status, try? LocalJSON.decode(LocalAPIError.self, from: bytes))
  }

  /// Sends bytes and reads until the server closes the connection; with `endsThere`, it ends its
  /// own direction first.
  func raw(_ request: String, endsThere: Bool = false) async throws -> String {
    try await raw(Array(request.utf8), endsThere: endsThere)
  }

  /// The same with bytes that need not be text.
  func raw(_ request: [UInt8], endsThere: Bool = false) async throws -> String {
    try await RawExchange(folder: folder).send(request, endsThere: endsThere)
  }
}
