import Glibc
import LatchkeyModel
import Logging
import Synchronization

/// When each step of a pairing began and how long it took, logged once at its end for measurements.
///
/// Nothing is read or kept unless the log level is `trace`, and nothing of a pairing but times is logged.
final class PairingSteps: Sendable {
  /// What a pairing spends its time on, besides going from one of these to the next.
  enum Kind: String {
    /// Keys are agreed on, and frames are sealed, opened, signed and verified.
    case handshake
    /// A transaction, with its fsync.
    case commit
    /// The file of keys is replaced, with its fsync.
    case keyFile = "key-file"
    /// Nothing to do before the other machine's next frame has come.
    case frame
    /// From the dialling to the connection.
    case connect
    /// The code was handed to the node; takes no time.
    case entered
    /// The pairing is over, as the local API tells; takes no time.
    case ended
  }

  private let logger: Logger
  private let steps = Mutex<[String]>([])
  /// Steps that are kept; a pairing has about forty.
  private static let most = 256

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Returns the present moment in microseconds on the boot clock; `nil` unless steps are logged.
  func begin() -> Int64? {
    guard logger.logLevel == .trace else { return nil }
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  /// Notes a step that began at `began` and is over now.
  func end(_ kind: Kind, _ began: Int64?) {
    guard let began, let now = begin() else { return }
    steps.withLock { if $0.count < Self.most { $0.append("\(kind.rawValue) \(began) \(now - began)") } }
  }

  /// Notes a step that takes no time.
  func mark(_ kind: Kind) { end(kind, begin()) }

  /// Runs `body` as a step.
  func during<Value>(_ kind: Kind, _ body: () -> Value) -> Value {
    let began = begin()
    defer { end(kind, began) }
    return body()
  }

  /// Logs the steps so far: kind, beginning on the boot clock and length, both in microseconds.
  func tell() {
    let steps = steps.withLock { steps in
      defer { steps = [] }
      return steps
    }
    guard !steps.isEmpty else { return }
    logger.trace("steps of a pairing", metadata: ["steps": "\(steps.joined(separator: ", "))"])
  }
}
