/// The reason why an item's body could not be decoded or executed: the sender's fault, which a
/// receipt or a notice reports to it.
public struct BodyFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// The same as a phrase, where a person is likely to read it; `nil` otherwise.
  public var phrase: Phrase?
  /// The reason that a notice reports if the item has no receipt.
  public var reason: RefusalReason

  public init(_ description: String, _ reason: RefusalReason = .unreadable) {
    self.description = description
    self.reason = reason
  }

  /// Creates a fault that people read in their own language.
  public init(phrase: Phrase, _ reason: RefusalReason = .unreadable) {
    self.init(phrase.worded(), reason)
    self.phrase = phrase
  }

  /// The sentence for the sender.
  public var told: ToldSentence { ToldSentence(english: description, phrase: phrase) }
}
