/// A message that cannot be read: always the peer's fault.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for a log.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
