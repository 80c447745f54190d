import Glibc
import LatchkeyModel
import Logging

/// When each step of a pairing began and how long it took, told once at its end, for whoever measures.
///
/// Nothing is read or kept unless the log level is `trace`, and nothing of a pairing but times is told.
struct PairingSteps {
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
  private var steps: [String] = []
  /// Steps that are kept; a pairing has about forty.
  private static let most = 256

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// The present moment in microseconds on the boot clock; nil when nobody wants to know.
  func begin() -> Int64? {
    guard logger.logLevel == .trace else { return nil }
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  /// A step is over that began at `began`.
  mutating func end(_ kind: Kind, _ began: Int64?) {
    guard let began, let now = begin(), steps.count < Self.most else { return }
    steps.append("\(kind.rawValue) \(began) \(now - began)")
  }

  /// Tell the steps so far: kind, beginning on the boot clock and length, both in microseconds.
  mutating func tell() {
    guard !steps.isEmpty else { return }
    logger.trace("steps of a pairing", metadata: ["steps": "\(steps.joined(separator: ", "))"])
    steps = []
  }
}
