/// The reason why the local API could not do what was asked.
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
    /// The device does not have the role that the request needs.
    case wrongRole = "wrong-role"
    /// The pairing code has a typing error; see `PairingOutcome.typo`.
    case typo
    /// The request is too late, such as the cancellation of a command that is already stored.
    case tooLate = "too-late"
    /// The session continues, since one of its programs is still running.
    case stillRunning = "still-running"
    /// No agent watches the caller's programs, so that no use is recorded.
    case noAgent = "no-agent"
    /// A limit is reached: queue, peers, open codes or recorded programs.
    case limit
    /// The disk is full, read-only or faulty.
    case storage
    /// The caller is not the node's user.
    case forbidden
    case timeout, `internal`
  }

  public var code: Code
  /// One sentence: the fault and the next step.
  public var message: String
  /// The same as a phrase, where a child may read it; `nil` otherwise.
  public var phrase: Phrase?

  public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  /// Creates an error that a child may read in its own language.
  public init(_ code: Code, phrase: Phrase) {
    self.init(code, phrase.worded())
    self.phrase = phrase
  }

  public var description: String { message }

  /// Creates the answer to a request that names no device, or several.
  public init(_ fault: DeviceSearch.Fault) {
    switch fault {
    case .unknown: self.init(.unknownDevice, fault.description)
    case .ambiguous: self.init(.ambiguousDevice, fault.description)
    }
  }
}

/// A request to the local API whose texts are checked before a node sees it.
///
/// Spec: Protocol/07-local-api.md §1.
public protocol CheckedRequest {
  /// A sentence about the first invalid text, which names the field; `nil` if all are valid.
  var textFault: String? { get }
}

extension RenameRequest: CheckedRequest {
  public var textFault: String? {
    name.flatMap { TextRule.deviceName.fault(in: $0) }
      ?? childName.flatMap { $0.isEmpty ? nil : TextRule.deviceName.fault(in: $0) }
  }
}

/// The body of `POST /v1/devices/{device}/rename`, which renames a device or assigns it to a child.
public struct RenameRequest: Hashable, Sendable, Codable {
  /// The new name, 1 to 64 bytes of UTF-8; `nil` to keep it.
  public var name: String?
  /// The child's name, 1 to 64 bytes of UTF-8; empty for no child, `nil` to keep it.
  public var childName: String?

  public init(name: String? = nil, childName: String? = nil) { (self.name, self.childName) = (name, childName) }
}
