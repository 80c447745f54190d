import NIOCore
import NIOHTTP1

/// A channel handler that gives the framework's own errors for invalid HTTP the status and body of
/// all other errors.
///
/// The framework answers such a request with an empty 400. The handler recognizes that answer by
/// the lack of `Content-Type`.
///
/// Spec: Protocol/07-local-api.md §2
final class MalformedRequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var fault: HTTPParserError?

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if fault == nil, let error = error as? HTTPParserError { fault = error }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 400, head.headers["content-type"].isEmpty
    else { return context.write(data, promise: promise) }
    let failure = ControlFailure(fault ?? .unknown)
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    head.status = HTTPResponseStatus(statusCode: failure.status)
    head.headers.replaceOrAdd(name: "content-type", value: "application/json")
    head.headers.replaceOrAdd(name: "content-length", value: String(body.count))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: promise)
  }
}
