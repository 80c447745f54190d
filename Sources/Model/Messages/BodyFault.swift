/// The reason why an item's body could not be decoded or executed: the sender's fault, which a
/// receipt or a notice reports to it.
public struct BodyFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// The reason that a notice reports if the item has no receipt.
  public var reason: RefusalReason

  public init(_ description: String, _ reason: RefusalReason = .unreadable) {
    self.description = description
    self.reason = reason
  }
}
