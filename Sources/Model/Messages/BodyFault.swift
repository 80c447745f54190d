/// Why an item's body could not be read: the sender's fault, told to it in a receipt where there is one.
public struct BodyFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
