import Hummingbird
import LatchkeyModel
import NIOCore

extension Response {
  static func json(_ bytes: [UInt8], status: Int) -> Response {
    Response(
      status: HTTPResponse.Status(code: status), headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Creates an answer in plain text; the version is that of Prometheus' text format, the only text
  /// that there is.
  static func text(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// Creates the answer to a request that failed, which ends its connection.
  static func failure(_ failure: ControlFailure, on channel: any Channel) -> Response {
    var headers: HTTPFields = [.contentType: "application/json"]
    // The rest of a refused request is not read, so its connection cannot be reused.
    headers[.connection] = "close"
    if !failure.allow.isEmpty { headers[.allow] = failure.allow.joined(separator: ", ") }
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    return Response(
      status: HTTPResponse.Status(code: failure.status), headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        try await writer.write(ByteBuffer(bytes: body))
        try await writer.finish(nil)
        // The framework respects the header only in requests. This closes our direction; the other
        // one is read to its end.
        channel.close(mode: .output, promise: nil)
      })
  }

  /// Creates an answer that goes on until the node stops or the caller leaves: a line of JSON for
  /// each event, or server-sent events if the request accepts them.
  static func events(_ events: EventSource, to request: Request) -> Response {
    let accepted = request.headers[.accept]?.split(separator: ",").map { RouteResponder.mediaType($0) } ?? []
    let isForBrowsers = accepted.contains("text/event-stream")
    let (before, after) = isForBrowsers ? ("data: ", "\n\n") : ("", "\n")
    return Response(
      status: .ok, headers: [.contentType: isForBrowsers ? "text/event-stream" : "application/x-ndjson"],
      body: ResponseBody { writer in
        do {
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await events.send { event in
              try await writer.write(ByteBuffer(bytes: Array(before.utf8) + event + Array(after.utf8)))
            }
          }
        } catch is CancellationError {}
        try await writer.finish(nil)
      })
  }
}
