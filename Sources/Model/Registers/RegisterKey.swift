/// The key of a register: a path of segments, such as `schedule/bedtime` or
/// `app/org.gnome.Chess/limit`.
///
/// A key has 1 to 511 bytes and at least one segment. Segments are separated by `/`, and each is a
/// *word* (06 §1) without `/`. The set of keys is open: a machine of a later version may know more
/// of them.
///
/// Spec: Protocol/10-household.md §2.
public struct RegisterKey: Hashable, Sendable, Comparable, ExpressibleByStringLiteral, TextCodable {
  public static let noun = "a key of a register"

  /// The largest number of bytes of a key: two segments around the longest application ID fit.
  public static let bytes = 511

  public let text: String

  public var description: String { text }

  /// Checks and wraps a key; returns `nil` if it is malformed.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    self.text = text
  }

  /// Creates a key from segments; returns `nil` if the key they form is malformed.
  public init?(_ segments: [String]) {
    guard segments.allSatisfy({ !$0.utf8.contains(UInt8(ascii: "/")) }) else { return nil }
    self.init(segments.joined(separator: "/"))
  }

  /// The segments, at least one, none of them empty.
  public var segments: [Substring] { Self.segments(of: text) }

  /// Returns the parts between slashes, by bytes: an accent may follow a slash.
  private static func segments(of text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  private static func isValid(_ text: String) -> Bool {
    guard (1...bytes).contains(text.utf8.count) else { return false }
    guard segments(of: text).allSatisfy({ !$0.isEmpty }) else { return false }
    return TextRule.appID.allowsCharacters(of: text)
  }

  /// Returns whether `left` sorts before `right`, which compares the bytes of UTF-8.
  public static func < (left: RegisterKey, right: RegisterKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Creates a key from a literal, which must be well formed.
  public init(stringLiteral value: String) {
    guard let key = RegisterKey(value) else { preconditionFailure("\(value) is no key of a register") }
    self = key
  }
}

extension RegisterKey: Codable {}

extension RegisterKey {
  /// The days of a key `today/DATE/…` or `days/FIRST..LAST/…`; `nil` for any other key.
  public var days: DayRange? {
    guard text.utf8.starts(with: "today/".utf8) || text.utf8.starts(with: "days/".utf8) else { return nil }
    let parts = segments
    guard parts.count >= 3, let days = DayRange(String(parts[1])) else { return nil }
    return (days.first == days.last) == (parts[0] == "today") ? days : nil
  }

  /// The last of these days, some days after which the register is forgotten.
  public var lastDay: FamilyDay? { days?.last }

  /// Returns whether this key is kept in preference to another one when a zone is full.
  ///
  /// Keys without a day come before those with one, and among the latter those with a later last
  /// day come first. Otherwise, fewer segments come first, then the order of the bytes. A key is
  /// therefore displaced only by keys that are forgotten no earlier than itself, which makes the
  /// result independent of the order of arrival.
  ///
  /// Spec: Protocol/10-household.md §2.
  public func isKept(before other: RegisterKey) -> Bool {
    switch (lastDay, other.lastDay) {
    case (nil, nil): break
    case (nil, .some): return true
    case (.some, nil): return false
    case (let own?, let others?) where own != others: return own > others
    case (.some, .some): break
    }
    let counts = (segments.count, other.segments.count)
    return counts.0 != counts.1 ? counts.0 < counts.1 : self < other
  }
}
