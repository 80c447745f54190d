/// A message that cannot be read, which is always the peer's fault.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the fault, for the log.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
