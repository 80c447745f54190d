import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport

/// The reason why a node cannot be created or started.
public struct NodeStartupError: Error, Sendable, CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var message: String
  /// The exit status according to sysexits(3).
  public var exitStatus: Int32

  /// Creates an error with a sentence for people and an exit status.
  public init(_ message: String, exitStatus: Int32) {
    self.message = message
    self.exitStatus = exitStatus
  }

  public var description: String { message }

  init(_ error: StoreError) {
    let status: Int32
    switch error {
    case .newerVersion: status = 78
    case .corrupt: status = 65
    case .cannotOpen, .readOnly: status = 77
    case .diskFull, .inputOutput: status = 74
    case .queueFull, .tooManyPeers, .noSuchPeer, .refused, .unexpected: status = 70
    }
    self.init(error.description, exitStatus: status)
  }

  init(_ error: KeyFileError) {
    let status: Int32
    switch error {
    case .missing: status = 66
    case .newerVersion: status = 78
    case .corrupt: status = 65
    case .alreadyExists, .unwritable: status = 73
    default: status = 77
    }
    self.init(error.description, exitStatus: status)
  }

  init(_ error: TransportError) {
    self.init(error.description, exitStatus: 69)
  }
}
