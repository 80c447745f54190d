import LatchkeyModel

/// A message that cannot be read, which is always the peer's fault.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the fault, for the log.
  public var description: String
  /// The whole sentence for people, where one is likely to read it; `nil` otherwise.
  public var phrase: Phrase?

  public init(_ description: String, phrase: Phrase? = nil) {
    self.description = description
    self.phrase = phrase
  }
}
