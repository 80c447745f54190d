import Hummingbird
import HummingbirdCore
import LatchkeyModel
import NIOCore

extension WebRequest {
  /// Takes what the pages need of a request, and of where it came from.
  init(_ request: Request, from address: String = "") {
    let headers = request.headers
    func header(_ name: String) -> String? { HTTPFields.Element.Name(name).flatMap { headers[$0] } }
    let method: Method? =
      switch request.method {
      case .get: .get
      case .post: .post
      default: nil
      }
    let hosts = headers.filter { $0.name.canonicalName == "host" }
    self.init(
      method: method, target: request.head.path ?? "/", host: Self.host(request.head.authority, others: hosts.count),
      origin: header("Origin"), site: header("Sec-Fetch-Site"), cookies: header("Cookie"),
      contentType: header("Content-Type"), language: Language.asked(for: header("Accept-Language") ?? ""),
      isPart: header("Latchkey-Part") != nil, userAgent: header("User-Agent"), address: address,
      body: {
        do {
          return Array(try await request.body.collect(upTo: FormFields.mostBytes).readableBytesView)
        } catch is NIOTooManyBytesError { return nil }
      })
  }
}

extension WebAnswer {
  /// Returns the answer as it is written.
  ///
  /// - Parameters:
  ///   - request: The request, whose connection a stream watches.
  ///   - door: What counts the open pages; `nil` for those of phones.
  ///   - feed: The changes of a stream.
  /// - Returns: The response.
  func response(to request: Request, door: WebDoor?, feed: ChangeFeed) -> Response {
    var fields = HTTPFields()
    for header in headers {
      if let name = HTTPFields.Element.Name(header.name) { fields.append(.init(name: name, value: header.value)) }
    }
    let status = HTTPResponse.Status(code: status)
    switch body {
    case .page: preconditionFailure("A page has no language yet.")
    case .bytes(let bytes):
      return Response(
        status: status, headers: fields,
        body: bytes.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .changes(let isLetIn):
      return Response(
        status: status, headers: fields,
        body: ResponseBody { writer in
          door?.openedStream()
          defer { door?.closedStream() }
          do {
            try await request.body.consumeWithCancellationOnInboundClose { _ in
              try await writer.write(ByteBuffer(string: ": open\n\n"))
              for await _ in await feed.changes() {
                guard await isLetIn() else { return }
                try await writer.write(ByteBuffer(string: "data: change\n\n"))
              }
            }
          } catch is CancellationError {}
          try await writer.finish(nil)
        })
    }
  }
}
