import Hummingbird
import HummingbirdCore
import LatchkeyModel
import NIOCore

/// The answer to a request, before it is written.
struct WebAnswer {
  enum Body {
    case bytes([UInt8])
    /// A page, before its translation into the reader's language.
    case page(PageTemplate, PageData)
    /// The stream of changes, until the page closes it or its session ends.
    case changes(isLetIn: @Sendable () async -> Bool)
  }

  var status: Int
  var headers: [(name: String, value: String)]
  var body: Body

  init(_ status: Int, _ headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  static func page(_ template: PageTemplate, _ data: PageData, status: Int = 200) -> WebAnswer {
    WebAnswer(
      status, [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")], body: .page(template, data)
    )
  }

  /// Returns the answer with the headers of every answer, in the reader's language.
  func finished(for request: WebRequest) -> WebAnswer {
    var answer = self
    answer.headers += Self.everywhere
    return answer.worded(in: request.language)
  }

  func worded(in language: Language) -> WebAnswer {
    guard case .page(let template, let data) = body else { return self }
    let text = template.render(data.merging(["language": language.code]) { $1 }, in: language)
    return WebAnswer(
      status, headers + [("Content-Language", language.code), ("Vary", "Accept-Language")],
      body: .bytes([UInt8](text.utf8)))
  }

  static func file(_ name: String, _ text: String) -> WebAnswer {
    WebAnswer(
      200,
      [
        ("Content-Type", "text/csv; charset=utf-8"), ("Content-Disposition", "attachment; filename=\"\(name)\""),
        ("Cache-Control", "no-store"),
      ], body: .bytes([UInt8](text.utf8)))
  }

  /// Creates the answer that leads to another page of this server.
  static func redirect(to path: String) -> WebAnswer {
    WebAnswer(303, [("Location", path), ("Cache-Control", "no-store")])
  }

  /// The headers of every answer.
  ///
  /// A browser loads nothing from another site, runs no inline code, and shows no page inside
  /// another site.
  static let everywhere: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    // Without a referrer policy for the own site, a browser sends `null` as the origin of the
    // pages' own forms.
    ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
  ]
}

/// A request to the pages, with the parts that they need.
struct WebRequest: Sendable {
  enum Method: Sendable {
    case get
    case post
  }

  var method: Method?
  /// The path and the query as they were sent.
  var target: String
  /// The host name in the request; `nil` if there is none, or more than one.
  var host: String?
  var origin: String?
  /// The header `Sec-Fetch-Site`.
  var site: String?
  var cookies: String?
  var contentType: String?
  /// The reader's language, from the header `Accept-Language`.
  var language = Language.english
  /// A Boolean value that indicates whether the script of an open page has sent the request.
  var isPart = false
  var userAgent: String?
  /// The address of the sender; empty if it does not matter.
  var address = ""
  /// Returns the body; `nil` if it is longer than a form may be.
  var body: @Sendable () async throws -> [UInt8]?

  var path: String { String(target.prefix { $0 != "?" }) }

  /// The query; `nil` if it is malformed.
  var query: FormFields? {
    let text = target.utf8
    guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return FormFields([UInt8]()) }
    return FormFields(text[text.index(after: mark)...])
  }

  /// Returns the one host name in a request; `nil` if there is none, or more than one.
  ///
  /// If there were two, a proxy and the pages could use different ones. `authority` is the first
  /// header `Host`, or `:authority` of HTTP/2.
  static func host(_ authority: String?, others: Int) -> String? { others == 0 ? authority : nil }

  /// The value of the pages' cookie; `nil` if there is none, or more than one.
  var cookie: String? { cookie(Self.cookieName) }

  /// Returns the value of a cookie; `nil` if there is none, or more than one.
  func cookie(_ name: String) -> String? {
    let values = (cookies ?? "").split(separator: ";").compactMap { pair -> Substring? in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == name ? parts[1] : nil
    }
    return values.count == 1 ? values.first.map(String.init) : nil
  }

  static let cookieName = "latchkey"
}

extension WebRequest {
  /// Creates a request from the framework's request and the sender's address.
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
  /// Returns the answer as the framework writes it.
  ///
  /// `door` counts the open pages, but not those of phones.
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
