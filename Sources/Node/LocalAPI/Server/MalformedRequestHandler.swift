import NIOCore
import NIOHTTP1

/// A channel handler that gives the framework's own errors for invalid HTTP the status and body of
/// all other errors.
///
/// The framework answers such a request with an empty 400. The handler recognizes that answer by
/// the lack of `Content-Type`.
///
/// A request that has a header twice of which the node uses one value is invalid as well. The
/// framework would use the first, and a program that passes requests on may use the last.
///
/// Spec: Protocol/07-local-api.md §2
final class MalformedRequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The headers that a request has once at most.
  private static let single = ["host", "idempotency-key", "authorization"]

  private var fault: HTTPParserError?
  /// The answer to a request with a header that is repeated, after which nothing is read.
  private var repetition: ControlFailure?
  private var hasAnsweredRepetition = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard repetition == nil else { return }
    if case .head(let head) = unwrapInboundIn(data),
      let name = Self.single.first(where: { head.headers[$0].count > 1 })
    {
      repetition = .repeated(name)
      // The framework answers as it does to what cannot be read, once earlier answers are sent.
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if fault == nil, let error = error as? HTTPParserError { fault = error }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 400, head.headers["content-type"].isEmpty
    else { return context.write(data, promise: promise) }
    let failure = repetition ?? ControlFailure(fault ?? .unknown)
    hasAnsweredRepetition = repetition != nil
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    head.status = HTTPResponseStatus(statusCode: failure.status)
    head.headers.replaceOrAdd(name: "content-type", value: "application/json")
    head.headers.replaceOrAdd(name: "content-length", value: String(body.count))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    // The decoder, which closes after its own errors, has found none.
    if hasAnsweredRepetition { context.close(promise: nil) }
  }
}
