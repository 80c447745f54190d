import AsyncHTTPClient
import Glibc
import LatchkeySystem
import NIOCore
import NIOHTTP1
import NIOPosix

/// An answer of a server, with the beginning of its body.
struct WebAnswer: Sendable {
  var status: Int
  var body: [UInt8]
  /// The pause that the server asks for.
  var retryAfter: Duration?

  /// A Boolean value that indicates whether the server took the body.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// A Boolean value that indicates whether the server may have taken the body although the answer
  /// is a failure: a proxy in front of the server has lost its answer.
  var isDoubtful: Bool { status == 502 || status == 504 }
}

/// A client that sends a body to a server, and returns the answer.
protocol WebPosting: Sendable {
  func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8]) async -> Result<WebAnswer, WebFault>
}

/// The HTTP client of a receiver.
///
/// It follows no redirect, uses no proxy, and repeats no request. `close` must be called.
struct WebClient: WebPosting {
  /// The longest wait for the head of an answer, also of a stream, in seconds.
  static let seconds: Int64 = 10
  /// The largest number of bytes of a body that are read.
  private static let mostBytes = 16_384

  private let client: HTTPClient

  /// Creates a client that connects to the addresses in `pins` instead of looking those hosts up.
  ///
  /// `silence` is the time without a byte after which a connection is closed, in seconds. The wait
  /// for the head of an answer is `seconds` in any case.
  init(pins: [String: IPAddress] = [:], silence: Int64 = Self.seconds) {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(Self.seconds), read: .seconds(silence)))
    configuration.dnsOverride = pins.mapValues(\.description)
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(5)
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }

  func close() async { do { try await client.shutdown() } catch {} }

  /// Sends a body, and returns the answer with any status.
  func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8]) async -> Result<WebAnswer, WebFault> {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers = Self.headers(headers)
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await client.execute(request, timeout: .seconds(Self.seconds))
      var bytes: [UInt8] = []
      // Only the status matters. Reading ends after a while, so that a server that sends its body
      // slowly does not delay anything.
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
  /// `take` gets each line. The next line is read only when `take` has returned, so that a server
  /// cannot send faster than lines are handled. The head of the answer has to arrive within
  /// `seconds`. The stream after it may last as long as it is not silent.
  ///
  /// - Returns: The status of the answer; a fault if there was none, or the stream was interrupted.
  func lines(
    _ url: String, _ headers: [(String, String)], opened: @Sendable () async -> Void,
    take: @Sendable ([UInt8]) async -> Bool
  ) async -> Result<Int, WebFault> {
    var request = HTTPClientRequest(url: url)
    request.headers = Self.headers(headers)
    do {
      // The timeout covers the head. After it, only silence ends the stream.
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

/// The lines of a stream of bytes.
///
/// A line that is too long is skipped, so that a sender cannot fill the memory.
struct LineSplitter: Sendable {
  /// The longest line in bytes.
  static let mostBytes = 16_384

  private var begun: [UInt8] = []
  private var isTooLong = false

  /// Returns the lines that end in the bytes, without line ends and without empty lines.
  mutating func lines(adding bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if !isTooLong, !begun.isEmpty { lines.append(begun) }
        (begun, isTooLong) = ([], false)
      } else if begun.count < Self.mostBytes {
        if !isTooLong { begun.append(byte) }
      } else {
        (begun, isTooLong) = ([], true)
      }
    }
    return lines
  }
}

/// The reason why a server did not answer.
enum WebFault: Error, Hashable, Sendable {
  case unknownName
  case privateAddress(String)
  case refused
  case certificate
  case tooSlow
  case interrupted

  /// Returns the reason for an error of the HTTP client.
  init(_ error: any Error) {
    let words = String(describing: error)
    if words.contains("CERTIFICATE_VERIFY_FAILED") || words.contains("unableToValidateCertificate")
      || words.contains("HOSTNAME_MISMATCH")
    {
      self = .certificate
    } else if let fault = error as? HTTPClientError,
      [.connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded].contains(fault)
    {
      self = .tooSlow
    } else if let fault = error as? NIOConnectionError {
      self = fault.connectionErrors.isEmpty ? .unknownName : .refused
    } else if let fault = error as? IOError,
      [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(fault.errnoCode)
    {
      self = .refused
    } else if words.contains("connect(") || words.contains("Connection refused") {
      self = .refused
    } else {
      self = .interrupted
    }
  }

  /// A Boolean value that indicates whether the server may have taken the body.
  var isDoubtful: Bool { self == .tooSlow || self == .interrupted }

  /// Returns one sentence: the fault and the next step.
  func sentence(of server: String) -> String {
    switch self {
    case .unknownName:
      "The name in \(server) is not known in this network: check its spelling, and that this machine is online."
    case .privateAddress(let address):
      "\(server) has the address \(address) in this network: add the receiver with `--private` if that is meant."
    case .refused:
      "\(server) cannot be reached: see whether the server runs and this machine is online. It is tried again."
    case .certificate:
      "The certificate of \(server) is not valid for this machine: renew it or correct the name there, or put the "
        + "certificate of your own authority into /usr/local/share/ca-certificates and run `update-ca-certificates`."
    case .tooSlow: "\(server) does not answer in time. It is tried again."
    case .interrupted: "\(server) ended the connection without a complete answer. It is tried again."
    }
  }
}

/// The growing pauses between tries at a server that does not answer well.
struct Backoff: Hashable, Sendable {
  private let first: Duration
  private let longest: Duration
  /// The number of tries that failed since the last success.
  private(set) var failures = 0

  /// Creates pauses that double with each failure, up to the longest one.
  init(first: Duration, longest: Duration) { (self.first, self.longest) = (first, longest) }

  mutating func succeeded() { failures = 0 }

  /// Counts a failure, and returns the pause before the next try.
  ///
  /// `asked` is the shortest pause that the server asked for. `jitter`, from 0 to 1, makes the
  /// pause up to a fifth longer, so that many clients of one server do not return at the same
  /// moment.
  mutating func failed(asked: Duration? = nil, jitter: Double = .random(in: 0...1)) -> Duration {
    failures += 1
    var pause = first
    for _ in 1..<max(2, min(failures, 32)) where failures > 1 && pause < longest { pause = pause * 2 }
    pause = min(max(pause, asked ?? .zero), longest)
    return pause + pause * (0.2 * min(max(jitter, 0), 1))
  }
}
