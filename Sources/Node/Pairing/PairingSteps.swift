import LatchkeySystem
import LatchkeyTransport
import Logging
import Synchronization

/// The beginning and duration of each step of a pairing, logged once at its end for measurements.
///
/// Nothing is recorded unless the log level is `trace`, and only times are logged.
final class PairingSteps: Sendable {
  enum Kind: String {
    /// Agreeing on keys, and sealing, opening, signing and verifying frames.
    case handshake
    /// A transaction with its fsync.
    case commit
    /// The replacement of the key file with its fsync.
    case keyFile = "key-file"
    /// Waiting for the other machine's next frame.
    case frame
    case connect
    /// The code was passed to the node. This takes no time.
    case entered
    /// The pairing has ended for the local API. This takes no time.
    case ended
  }

  private let logger: Logger
  private let steps = Mutex<[String]>([])
  /// The largest number of steps that are kept; a pairing has about forty.
  private static let most = 256

  init(_ logger: Logger) { self.logger = logger }

  /// Returns the present time in microseconds on the boot clock; `nil` unless steps are logged.
  func begin() -> Int64? {
    guard logger.logLevel == .trace else { return nil }
    return SystemClock.boot.microseconds
  }

  func end(_ kind: Kind, _ began: Int64?) {
    guard let began, let now = begin() else { return }
    steps.withLock { if $0.count < Self.most { $0.append("\(kind.rawValue) \(began) \(now - began)") } }
  }

  func mark(_ kind: Kind) { end(kind, begin()) }

  func during<Value>(_ kind: Kind, _ body: () -> Value) -> Value {
    let began = begin()
    defer { end(kind, began) }
    return body()
  }

  /// Logs the steps so far: kind, beginning on the boot clock and duration, both in microseconds.
  func tell() {
    let steps = steps.withLock { exchange(&$0, with: []) }
    guard !steps.isEmpty else { return }
    logger.trace("steps of a pairing", metadata: ["steps": "\(steps.joined(separator: ", "))"])
  }
}

extension FrameReader {
  /// Returns the next frame; `nil` if the connection has ended or `milliseconds` have passed, after
  /// which nothing more is read.
  func next(within milliseconds: Int64, _ steps: PairingSteps) async -> [UInt8]? {
    let began = steps.begin()
    defer { steps.end(.frame, began) }
    let position = position
    let alarm = AlarmClock.shared.set(after: milliseconds) { self.stop(unlessPast: position) }
    defer { AlarmClock.shared.cancel(alarm) }
    return await next()
  }
}
