import Glibc
import LatchkeyModel
import LatchkeyNode
import NIOCore
import NIOHTTP1
import NIOPosix

/// The socket through which a program asks a node.
struct ControlDoor: Hashable, Sendable {
  let stateFolder: String
  /// The token of a receiver, whose bridge has a socket of its own; `nil` for people's programs.
  var token: String?
  /// The cookie of a browser that was let in; `nil` for people's programs.
  var cookie: String?
  /// The key by which the node recognizes a repeated deed or edit; `nil` for none.
  var key: String?

  fileprivate var name: String {
    if cookie != nil { return ControlSocket.webName }
    return token == nil ? ControlSocket.name : ControlSocket.bridgeName
  }
}

/// One connection to a node's socket, used for one request.
struct ControlConnection {
  typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPPart<HTTPRequestHead, ByteBuffer>>

  static func open(_ door: ControlDoor) async throws(ExchangeFault) -> Channel {
    let stateFolder = door.stateFolder
    if let reason = reasonToDistrust(stateFolder) { throw .unavailable(reason) }
    let address: SocketAddressPath
    do {
      address = try SocketAddressPath(folder: ControlSocket.folder(ofNodeIn: stateFolder), name: door.name)
    } catch {
      throw .unavailable(reason(error.errorNumber, stateFolder: stateFolder))
    }
    do {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        .connect(unixDomainSocketPath: address.text) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(RequestPartHandler())
            return try Channel(wrappingChannelSynchronously: channel)
          }
        }
      withExtendedLifetime(address) {}
      return channel
    } catch let error as IOError {
      throw .unavailable(reason(error.errnoCode, stateFolder: stateFolder))
    } catch {
      throw .unavailable(.notRunning)
    }
  }

  /// Returns the reason why the process that listens in a folder may not be this user's node; `nil`
  /// if it is.
  ///
  /// Root may connect to any user's node, and every user to the system's, whose folder only root
  /// can create.
  private static func reasonToDistrust(_ stateFolder: String) -> NodeUnavailable.Reason? {
    var path = ControlSocket.folder(ofNodeIn: stateFolder)
    let isSystems = path != stateFolder
    // With a trailing slash, a symbolic link would be followed.
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    guard isSystems || geteuid() == 0 || status.st_uid == geteuid() else { return .notPermitted }
    let rightsOfOthers: mode_t = isSystems ? 0o022 : 0o077
    return status.st_mode & S_IFMT == S_IFDIR && status.st_mode & rightsOfOthers == 0 ? nil : .notPrivate
  }

  private static func reason(_ errorNumber: Int32, stateFolder: String) -> NodeUnavailable.Reason {
    switch errorNumber {
    case EACCES, EPERM: .notPermitted
    case ENOENT where stateFolder != SystemNode.stateFolder && access(stateFolder, F_OK) != 0: .notInitialised
    default: .notRunning
    }
  }

  /// Sends one request and reads the whole answer.
  static func exchange(
    _ door: ControlDoor, method: String, target: String, body: [UInt8]?
  ) async throws(ExchangeFault) -> (status: Int, body: [UInt8]) {
    let channel = try await open(door)
    do {
      return try await channel.executeThenClose { inbound, outbound in
        try await send(outbound, door, method: method, target: target, body: body)
        var status: Int?
        var bytes: [UInt8] = []
        for try await part in inbound {
          switch part {
          case .head(let head): status = Int(head.status.code)
          case .body(let buffer):
            guard bytes.count + buffer.readableBytes <= LocalJSON.responseBytes else { throw ExchangeFault.tooLong }
            bytes += buffer.readableBytesView
          case .end:
            guard let status else { throw ExchangeFault.broken }
            return (status, bytes)
          }
        }
        throw ExchangeFault.broken
      }
    } catch { throw error as? ExchangeFault ?? .broken }
  }

  /// Sends a whole request that closes its connection.
  static func send(
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPRequestHead, ByteBuffer>>, _ door: ControlDoor,
    method: String, target: String, body: [UInt8]?
  ) async throws {
    var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: target)
    head.headers.add(name: "host", value: "latchkey")
    head.headers.add(name: "connection", value: "close")
    if let token = door.cookie ?? door.token { head.headers.add(name: "authorization", value: "Bearer \(token)") }
    if let key = door.key { head.headers.add(name: "idempotency-key", value: key) }
    if let body {
      head.headers.add(name: "content-type", value: "application/json")
      head.headers.add(name: "content-length", value: String(body.count))
    }
    // One write: the node recognizes the complete request from its head or last byte, and may
    // answer and close before a separate end is written. Writing that end would then fail while the
    // answer is unread.
    let content: [HTTPPart<HTTPRequestHead, ByteBuffer>] = body.map { [.body(ByteBuffer(bytes: $0))] } ?? []
    try await outbound.write(contentsOf: [.head(head)] + content + [.end(nil)])
  }
}

/// The reason why the node did not answer a request completely.
enum ExchangeFault: Error, Hashable, Sendable {
  case unavailable(NodeUnavailable.Reason)
  /// The connection ended before the answer did.
  case broken
  /// No complete answer arrived in time.
  case timedOut
  /// The answer is larger than `LocalJSON.responseBytes`.
  case tooLong
}

/// Makes request bodies from plain byte buffers, which may cross between tasks.
private final class RequestPartHandler: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPRequestHead, ByteBuffer>
  typealias OutboundOut = HTTPClientRequestPart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPClientRequestPart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let buffer): .body(.byteBuffer(buffer))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}

/// A reader of events, which are one line of JSON each, for as long as they have a consumer.
struct EventReader<Event: Decodable & Sendable>: Sendable {
  let door: ControlDoor
  let request: OutgoingRequest

  /// The largest number of bytes in a line.
  private static var lineBytes: Int { 4 << 20 }

  /// Requests the events and returns them as they arrive, until the node stops.
  ///
  /// Throws `LocalAPIError` if the node refuses, `ExchangeFault` if it cannot be reached.
  func events() async throws -> AsyncStream<Event> {
    let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let (opening, opened) = AsyncThrowingStream<Void, any Error>.makeStream()
    // The creator of a stream has no parent task for the reading; this task ends with the stream.
    let reading = Task {
      do {
        try await read(whenOpen: { opened.yield() }, give: { continuation.yield($0) })
        opened.finish()
      } catch { opened.finish(throwing: error) }
      continuation.finish()
    }
    continuation.onTermination = { _ in reading.cancel() }
    for try await _ in opening { return events }
    throw ExchangeFault.broken
  }

  private func read(whenOpen: @Sendable () -> Void, give: @Sendable (Event) -> Void) async throws {
    let channel = try await ControlConnection.open(door)
    try await channel.executeThenClose { inbound, outbound in
      try await ControlConnection.send(
        outbound, door, method: request.method.rawValue, target: request.target.text, body: request.body)
      var isOpen = false
      var line: [UInt8] = []
      for try await part in inbound {
        switch part {
        case .head(let head):
          isOpen = head.status == .ok
          if isOpen { whenOpen() }
        case .body(let buffer):
          for byte in buffer.readableBytesView {
            guard isOpen, byte == UInt8(ascii: "\n") else {
              guard line.count < Self.lineBytes else { throw ExchangeFault.tooLong }
              line.append(byte)
              continue
            }
            give(try LocalJSON.decode(Event.self, from: line))
            line = []
          }
        case .end:
          if !isOpen { throw try LocalJSON.decode(LocalAPIError.self, from: line) }
          return
        }
      }
    }
  }
}
