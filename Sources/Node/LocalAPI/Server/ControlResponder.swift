import Hummingbird
import LatchkeyModel
import NIOCore
import NIOHTTP1

/// The responder of one node, which recognizes the caller, passes the request to the router, and
/// gives every error its body.
struct ControlResponder: HTTPResponder {
  typealias Context = ControlRequestContext

  /// Returns the caller at the other end of a connection; `nil` if it cannot be recognized.
  typealias Recognition = @Sendable (ControlRequestContext) async -> Caller?

  /// Returns the node with the rights of a caller.
  typealias Node = @Sendable (Caller) -> any NodeInterface

  private let routes: RouterResponder<ControlRequestContext>
  private let recognize: Recognition
  /// The answer to a caller that may ask nothing.
  private let refusal: ControlFailure

  init(node: @escaping Node, recognize: @escaping Recognition, refusal: ControlFailure = .forbidden) {
    self.refusal = refusal
    let router = Router(context: ControlRequestContext.self)
    router.add(middleware: UnknownPathMiddleware())
    for endpoint in Endpoints.all {
      router.on(
        RouterPath(endpoint.route.path.text), method: HTTPRequest.Method(endpoint.route.method),
        responder: RouteResponder(endpoint: endpoint, node: node))
    }
    routes = router.buildResponder()
    self.recognize = recognize
  }

  func respond(to request: Request, context: ControlRequestContext) async -> Response {
    var context = context
    context.authorization = request.headers[.authorization]
    context.key = request.headers.first { $0.name.canonicalName == "idempotency-key" }?.value
    do {
      guard let caller = await recognize(context) else { throw refusal }
      guard Endpoints.all.contains(where: { $0.route.whoMay.contains(caller.principal) }) else { throw refusal }
      if let key = caller.key, !Caller.isKey(key) { throw ControlFailure.malformedKey }
      // Without a known encoding, the end of the body cannot be found.
      if let encoding = request.headers[.transferEncoding], encoding.lowercased() != "chunked" {
        throw ControlFailure(
          501, .invalid, "The request's Transfer-Encoding is unknown here: send the body with a Content-Length.")
      }
      let target = try RequestTarget(checking: request.head.path ?? "")
      (context.caller, context.target) = (caller, target)
      // The router compares bytes, so the path is normalized first, without the query.
      var head = request.head
      head.path = RequestTarget(segments: target.segments).text
      return try await routes.respond(to: Request(head: head, body: request.body), context: context)
    } catch let failure as ControlFailure {
      return .failure(failure, on: context.channel)
    } catch let error as LocalAPIError {
      return .failure(ControlFailure(error), on: context.channel)
    } catch let fault as HTTPParserError {
      return .failure(ControlFailure(fault), on: context.channel)
    } catch is CancellationError {
      return .failure(.stopping, on: context.channel)
    } catch {
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      return .failure(
        ControlFailure(500, .internal, "The node could not answer: look for the cause in what `latchkey run` prints."),
        on: context.channel)
    }
  }
}

extension HTTPRequest.Method {
  fileprivate init(_ method: Route.Method) {
    self =
      switch method {
      case .get: .get
      case .post: .post
      case .delete: .delete
      }
  }
}

/// A middleware that distinguishes an unknown path from an unsupported method, which the router
/// does not.
private struct UnknownPathMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ControlRequestContext,
    next: (Request, ControlRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let allowed = Set(Endpoints.matches(context.target.segments).map(\.endpoint.route.method.rawValue)).sorted()
      if allowed.isEmpty {
        throw ControlFailure(404, .invalid, "The local API has no such path: look it up under /v1 in its description.")
      }
      throw ControlFailure(
        405, .invalid, "This path does not take that method: use \(allowed.joined(separator: " or ")).", allow: allowed)
    }
  }
}

/// The caller and the target of one request.
struct ControlRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  var caller = Caller(principal: .account, userID: .max)
  var target = RequestTarget(segments: [])
  /// The request's header of that name, by which a bridge says which receiver it is.
  var authorization: String?
  /// The header `idempotency-key`, by which the node recognizes a repeated request.
  var key: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  var maxUploadSize: Int { LocalJSON.requestBytes }

  /// Returns the kernel's description of the caller; `nil` if it is not available.
  func credentials() async -> PeerCredentials? { try? await channel.peerCredentials().get() }
}

extension Channel {
  /// Returns the kernel's description of the process at the other end; fails if it is not
  /// available.
  func peerCredentials() -> EventLoopFuture<PeerCredentials> {
    guard let provider = self as? any SocketOptionProvider else {
      return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    // SOL_SOCKET and SO_PEERCRED, which fills a `struct ucred`: the layout of `PeerCredentials`.
    return provider.unsafeGetSocketOption(
      level: NIOBSDSocket.OptionLevel(rawValue: 1), name: NIOBSDSocket.Option(rawValue: 17))
  }
}

/// The process at the other end of a Unix socket, as the kernel recorded it at connect(2).
///
/// The kernel's `struct ucred` has the same layout: three words of 32 bits in this order.
struct PeerCredentials: Hashable, Sendable {
  var processID: Int32
  var userID: UInt32
  var groupID: UInt32
}
