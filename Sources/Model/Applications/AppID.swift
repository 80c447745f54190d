/// The ID of an application: its desktop or Flatpak ID, or one that a parent chose.
public struct AppID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "an application ID"

  public let text: String

  /// Creates an ID from 1 to 255 bytes without spaces or unprintable characters; else `nil`.
  public init?(_ text: String) {
    guard TextRule.appID.fault(in: text) == nil else { return nil }
    self.text = text
  }

  private init(own text: String) { self.text = text }

  /// The ID for the use of all programs that are no known application (11 §5).
  public static let unknownPrograms = AppID(own: "latchkey.unknown")

  /// The ID for all programs that are installed, or run from a terminal, without a rule (11 §5).
  public static let otherPrograms = AppID(own: "latchkey.other")

  /// The ID for the time for which a child uses a machine, whatever runs (11 §8).
  public static let screenTime = AppID(own: "latchkey.screen")

  /// A Boolean value that indicates whether it stands for many programs, which have no rules.
  public var isOfMany: Bool { self == .unknownPrograms || self == .otherPrograms || self == .screenTime }

  public var description: String { text }

  public static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }

  /// The part of the ID that people read as a name, for an application whose name is not known.
  ///
  /// That of `org.supertuxkart.SuperTuxKart` is `SuperTuxKart`. The mark of a program that was
  /// refused (11 §5) is left out.
  public var readable: String {
    var word = text[...]
    if let dash = word.lastIndex(of: "-") {
      let mark = word[word.index(after: dash)...]
      if mark.utf8.count == 8, mark.allSatisfy(\.isHexDigit), mark.contains(where: \.isNumber), dash > word.startIndex {
        word = word[..<dash]
      }
    }
    let parts = word.split(separator: ".")
    guard parts.count > 2, let last = parts.last(where: { $0.contains(where: \.isLetter) }) else { return String(word) }
    return String(last)
  }
}

/// The names of what stands for many programs: those without a rule of their own, and unknown ones.
public enum ProgramsName {
  public static func phrase(_ name: String) -> Phrase {
    switch name {
    case "Other programs": Phrase("Other programs")
    case "Unknown programs": Phrase("Unknown programs")
    default: Phrase(verbatim: name)
    }
  }
}
