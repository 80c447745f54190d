/// A PIN: the digits with which a child says who is there in an account that several children
/// share.
///
/// Spec: Protocol/10-household.md §3.
public struct PIN: Hashable, Sendable {
  /// The permitted numbers of digits.
  public static let lengths = 4...12

  /// The digits, in ASCII.
  public let digits: String

  /// Creates a PIN; returns `nil` for a text that is not 4 to 12 ASCII digits.
  public init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    digits = text
  }

  /// A sentence about a text that is no PIN, with the next step.
  public static let fault = faultPhrase.worded()
  /// The same as a phrase.
  public static let faultPhrase = Phrase("A PIN has 4 to 12 digits and nothing else: type it again.")
}

extension PIN: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the digits.
  public var description: String { "PIN(redacted)" }
  /// A description without the digits.
  public var debugDescription: String { description }
  /// A mirror without the digits.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
