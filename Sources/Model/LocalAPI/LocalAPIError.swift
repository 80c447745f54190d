/// What the local API answers when it cannot do what was asked.
///
/// Spec: Protocol/07-local-api.md §2.
public struct LocalAPIError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// A fixed word for programs.
  public enum Code: String, Codable, Sendable, Hashable, CaseIterable {
    /// The request is malformed or a value is out of range; the caller's fault.
    case invalid
    case unknownDevice = "unknown-device"
    case ambiguousDevice = "ambiguous-device"
    case unknownChild = "unknown-child"
    case ambiguousChild = "ambiguous-child"
    case unknownCommand = "unknown-command"
    case unknownPairing = "unknown-pairing"
    case unknownSession = "unknown-session"
    case unknownItem = "unknown-item"
    /// The device has not the role that the request needs.
    case wrongRole = "wrong-role"
    /// A code with a typing error; `PairingOutcome.typo`.
    case typo
    /// It cannot be done any more, such as cancelling what is stored.
    case tooLate = "too-late"
    /// The session goes on, since a program of it still runs.
    case stillRunning = "still-running"
    /// A cap is reached: queue, peers, open codes, recorded programs.
    case limit
    /// The disk is full, read-only or faulty.
    case storage
    /// The caller is not the node's user.
    case forbidden
    case timeout
    case `internal`
  }

  public var code: Code
  /// One sentence: the fault and the next step.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

extension LocalAPIError {
  /// Creates the answer to a request that names no device, or several.
  public init(_ fault: DeviceSearch.Fault) {
    switch fault {
    case .unknown: self.init(.unknownDevice, fault.description)
    case .ambiguous: self.init(.ambiguousDevice, fault.description)
    }
  }
}
