import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// An answer of a server, with the beginning of its body.
struct WebAnswer: Sendable {
  var status: Int
  var body: [UInt8]
  /// The pause that the server asks for.
  var retryAfter: Duration?

  /// A Boolean value that indicates whether the server took what it was sent.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// A Boolean value that indicates whether the server may have taken it all the same: a proxy
  /// before it has lost its answer.
  var isDoubtful: Bool { status == 502 || status == 504 }
}

/// What sends a body to a server, and returns the answer.
protocol WebPosting: Sendable {
  func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8]) async -> Result<WebAnswer, WebFault>
}

/// The HTTP client of a receiver.
///
/// It follows no redirect, uses no proxy, and tries nothing a second time by itself. `close` must
/// be called at the end.
struct WebClient: WebPosting {
  /// The time for the head of an answer, also of a stream, in seconds.
  static let seconds: Int64 = 10
  /// The part of a body that is read, in bytes.
  private static let mostBytes = 16_384

  private let client: HTTPClient

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - pins: The address to connect to for each host, instead of asking for it.
  ///   - silence: The time after which a connection without a byte is given up, in
  ///     seconds; the head of an answer has `seconds` in any case.
  init(pins: [String: NetworkAddress] = [:], silence: Int64 = Self.seconds) {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(Self.seconds), read: .seconds(silence)))
    configuration.dnsOverride = pins.mapValues(\.description)
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(5)
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }

  /// Ends all requests and connections.
  func close() async {
    do { try await client.shutdown() } catch {}
  }

  /// Sends a body, and returns the answer, whatever its status is.
  func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8]) async -> Result<WebAnswer, WebFault> {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers = Self.headers(headers)
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await client.execute(request, timeout: .seconds(Self.seconds))
      var bytes: [UInt8] = []
      // The status says what became of it. A server that sends its body slowly holds nothing up.
      let end = ContinuousClock.now + .seconds(Self.seconds)
      for try await part in response.body {
        bytes += part.readableBytesView.prefix(Self.mostBytes - bytes.count)
        if bytes.count >= Self.mostBytes || ContinuousClock.now > end { break }
      }
      let wait = response.headers.first(name: "retry-after").flatMap { Int64($0) }
      return .success(
        WebAnswer(
          status: Int(response.status.code), body: bytes,
          retryAfter: wait.flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil }))
    } catch {
      return .failure(WebFault(error))
    }
  }

  /// Reads a stream of lines until it ends or `take` returns `false`.
  ///
  /// `take` gets each line, and the next one is read only when it has returned, so that a server
  /// cannot send faster than lines are handled. The head of the answer arrives in time or not at
  /// all; the stream after it may last, as long as it is not silent.
  ///
  /// - Returns: The status of the answer; a fault if there was none, or the stream was interrupted.
  func lines(
    _ url: String, _ headers: [(String, String)], opened: @Sendable () async -> Void,
    take: @Sendable ([UInt8]) async -> Bool
  ) async -> Result<Int, WebFault> {
    var request = HTTPClientRequest(url: url)
    request.headers = Self.headers(headers)
    do {
      // The time ends with the head; from then on, only silence counts.
      let response = try await client.execute(request, timeout: .seconds(Self.seconds))
      let status = Int(response.status.code)
      guard (200..<300).contains(status) else { return .success(status) }
      await opened()
      var splitter = LineSplitter()
      for try await part in response.body {
        for line in splitter.lines(adding: part.readableBytesView) {
          guard await take(line) else { return .success(status) }
        }
      }
      return .success(status)
    } catch {
      return .failure(WebFault(error))
    }
  }

  private static func headers(_ headers: [(String, String)]) -> HTTPHeaders {
    HTTPHeaders([("user-agent", "latchkey")] + headers)
  }
}
