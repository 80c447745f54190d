/// Why an item's body could not be read: the sender's fault, told to it in a receipt where there is one.
public struct BodyFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence.
  public var description: String
  /// What the sender is told where there is no receipt.
  public var reason: RefusalReason

  public init(_ description: String, _ reason: RefusalReason = .unreadable) {
    self.description = description
    self.reason = reason
  }
}
