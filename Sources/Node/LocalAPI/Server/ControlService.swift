import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The service of a node's local API: HTTP and JSON over a Unix socket in the state folder or, for
/// the system's node, in `/run/latchkey`.
///
/// The caller holds the folder's lock, so an existing socket belongs to a dead process and is
/// replaced. Each endpoint states which callers it accepts.
///
/// Spec: Protocol/07-local-api.md.
struct ControlService: Service {
  private let node: ControlResponder.Node
  private let isOpenToAccounts: Bool
  private let logger: Logger
  private let recognize: ControlResponder.Recognition
  private let socketFolder: String
  private let socketName: String
  private let refusal: ControlFailure
  private let onRunning: @Sendable () -> Void

  /// The milliseconds after the signal to stop until open requests are closed.
  static let drainMilliseconds = 800

  /// Creates the service of a running node; `onRunning` is called once the socket accepts
  /// connections.
  init(_ node: NodeService, onRunning: @escaping @Sendable () -> Void) {
    let user = geteuid()
    self.init(
      node: { Call(node, caller: $0) }, stateFolder: node.context.folder.path, logger: node.context.logger,
      recognize: { context in
        guard let credentials = await context.credentials() else { return nil }
        var caller = await Caller(
          credentials, ofNodeOf: user, owner: { try? await node.owner(ofAccount: $0) },
          isShared: { (try? await node.isShared($0)) ?? false })
        caller.key = context.key
        return caller
      }, onRunning: onRunning)
  }

  /// Creates the service of a running node for the bridges of receivers, on a socket of their own.
  ///
  /// A bridge runs in the node's account, so that it is known by its receiver's token.
  init(bridgesOf node: NodeService) {
    self.init(node, socket: ControlSocket.bridgeName, refusal: .unknownReceiver) { context, user in
      await node.receiver(authorized: context.authorization).map { Caller($0, userID: user, key: context.key) }
    }
  }

  /// Creates the service of a running node for the browsers that a parent has let in, on a socket
  /// of their own.
  ///
  /// The pages run in the node's account, so that a browser is known by its cookie.
  init(browsersOf node: NodeService) {
    self.init(node, socket: ControlSocket.webName, refusal: .unknownBrowser) { context, user in
      await node.browser(authorized: context.authorization).map { Caller($0, userID: user, key: context.key) }
    }
  }

  /// Creates the service of a running node for programs in its own account or root's, whose callers
  /// are recognized by what they send.
  private init(
    _ node: NodeService, socket: String, refusal: ControlFailure,
    caller: @escaping @Sendable (ControlRequestContext, UInt32) async -> Caller?
  ) {
    self.init(
      node: { Call(node, caller: $0) }, stateFolder: node.context.folder.path, socket: socket,
      logger: node.context.logger, refusal: refusal,
      recognize: { context in
        guard let user = await context.credentials()?.userID, user == geteuid() || user == 0 else { return nil }
        return await caller(context, user)
      }, onRunning: {})
  }

  /// Creates the service of a node whose answers depend on the caller.
  ///
  /// The state folder exists, and the caller holds its lock; its path may have any length.
  /// `refusal` is the answer to a caller that may ask nothing.
  init(
    node: @escaping ControlResponder.Node, stateFolder: String, socket: String = ControlSocket.name, logger: Logger,
    refusal: ControlFailure = .forbidden, recognize: @escaping ControlResponder.Recognition,
    onRunning: @escaping @Sendable () -> Void
  ) {
    self.node = node
    socketFolder = ControlSocket.folder(ofNodeIn: stateFolder)
    socketName = socket
    isOpenToAccounts = socketFolder != stateFolder && socket == ControlSocket.name
    (self.refusal, self.logger, self.recognize, self.onRunning) = (refusal, logger, recognize, onRunning)
  }

  /// Serves until the node is told to stop; throws `ControlServiceError` if the socket cannot be
  /// created.
  func run() async throws {
    let socketPath = socketFolder + "/" + socketName
    let address: SocketAddressPath
    do {
      address = try SocketAddressPath(folder: socketFolder, name: socketName)
    } catch {
      throw ControlServiceError(path: socketPath, cause: String(cString: strerror(error.errorNumber)))
    }
    try removeStaleSocket(socketPath)
    defer { unlink(socketPath) }

    let (logger, onRunning, mode) = (logger, onRunning, mode_t(isOpenToAccounts ? 0o666 : 0o600))
    var quiet = logger
    // The framework logs "Server started …" at level info; the node logs that itself.
    if quiet.logLevel < .warning { quiet.logLevel = .warning }
    let responder = ControlResponder(node: node, recognize: recognize, refusal: refusal)
    // The framework's Application adds a date to each answer, and wakes an idle node each second to
    // update it.
    let counter = ConnectionCounter(user: geteuid())
    let server = try HTTPServerBuilder { ControlChannel(responder: $0, counter: counter) }.buildServer(
      configuration: ServerConfiguration(address: .unixDomainSocket(path: address.text), backlog: 1_024),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet
    ) { [quiet] request, writer, channel in
      let context = ControlRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: quiet))
      let response = await responder.respond(to: request, context: context)
      try await writer.write(response: response.head, body: response.body)
    } onServerRunning: { _ in
      // Every caller is checked. For a node that is not the system's, the folder's mode of 0700 and
      // this one are two barriers more.
      chmod(socketPath, mode)
      logger.debug("Local API is up", metadata: ["socket": "\(socketPath)"])
      onRunning()
    }
    do {
      try await serve(server)
    } catch let error as IOError {
      throw ControlServiceError(path: socketPath, cause: String(cString: strerror(error.errnoCode)))
    }
    withExtendedLifetime(address) {}
  }

  private func serve(_ server: any Service) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask {
        try await gracefulShutdown()
        try await Task.sleep(for: .milliseconds(Self.drainMilliseconds))
      }
      defer { group.cancelAll() }
      do {
        try await group.next()
      } catch is CancellationError {
        return
      }
    }
  }

  private func removeStaleSocket(_ path: String) throws(ControlServiceError) {
    var entry = stat()
    guard lstat(path, &entry) == 0 else { return }
    guard entry.st_mode & S_IFMT == S_IFSOCK else {
      throw ControlServiceError(path: path, cause: "a file that is not a socket has this name")
    }
    guard unlink(path) == 0 else { throw ControlServiceError(path: path, cause: String(cString: strerror(errno))) }
  }
}

struct ControlServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  var path: String
  /// The cause in a few words, such as `Permission denied`.
  var cause: String

  var description: String {
    "The local API's socket \(path) could not be made (\(cause)): put that right or choose another folder with --state-dir."
  }
}

/// The location of a node's local API.
public enum ControlSocket {
  public static let name = "control.sock"
  /// The name of the socket for the bridges of receivers, in the same folder.
  package static let bridgeName = "bridge.sock"
  /// The name of the socket for browsers that a parent has let in, in the same folder.
  package static let webName = "web.sock"

  /// Returns the folder of a node's socket: the state folder, except for the system's node.
  package static func folder(ofNodeIn stateFolder: String) -> String {
    stateFolder == SystemNode.stateFolder ? SystemNode.socketFolder : stateFolder
  }
}

/// The node of the whole machine, which a system service runs and which every account may connect
/// to.
///
/// Spec: Protocol/07-local-api.md §1.
public enum SystemNode {
  /// The path of its state folder, which makes a node the system's.
  public static let stateFolder = "/var/lib/latchkey"
  static let socketFolder = "/run/latchkey"

  package static var isThere: Bool { access(socketFolder + "/" + ControlSocket.name, F_OK) == 0 }
}

/// A path for bind(2) and connect(2) that fits a Unix socket address, regardless of the length of
/// the socket's path.
///
/// A Unix socket address holds 107 bytes of path. For a longer one, the folder is opened and
/// addressed by its descriptor through /proc. The value must therefore live until the socket is
/// bound or connected; it closes the descriptor.
package final class SocketAddressPath: Sendable {
  package let text: String
  private let folderDescriptor: Int32?

  /// The largest number of bytes of a path that is used unchanged.
  static let directBytes = 100

  /// Creates a short path for `name` in `folder`; throws `SocketPathError`, the caller's fault, if
  /// the folder cannot be opened.
  package init(folder: String, name: String) throws(SocketPathError) {
    let direct = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    guard direct.utf8.count > Self.directBytes else {
      text = direct
      folderDescriptor = nil
      return
    }
    // O_PATH, which the C library's module does not export: a descriptor that only addresses the
    // folder.
    let descriptor = open(folder, 0x20_0000 | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SocketPathError(errorNumber: errno) }
    folderDescriptor = descriptor
    text = "/proc/self/fd/\(descriptor)/\(name)"
  }

  deinit { if let folderDescriptor { close(folderDescriptor) } }
}

/// The reason why the folder of a socket could not be opened, as an `errno`.
package struct SocketPathError: Error, Hashable, Sendable {
  package var errorNumber: Int32
}
