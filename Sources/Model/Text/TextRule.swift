/// The rules for texts of one kind.
///
/// Every text from a person, a peer or a file is checked against one of them.
///
/// No text may contain U+0000, which ends a text in SQLite and C, or another character that
/// controls a terminal or hides text.
///
/// Spec: Protocol/06-messages.md §1.
public struct TextRule: Hashable, Sendable {
  /// The characters that a text may contain.
  public enum Characters: Hashable, Sendable {
    /// All characters but control characters, separators of lines, and changes of direction.
    case line
    /// The same characters, and line feeds.
    case paragraphs
    /// All characters except those of the categories Cc, Cf, Zl, Zp, Cs, Co and Cn.
    case visible
    /// The same characters, without spaces.
    case word
    /// ASCII letters and digits, `+`, `-`, `_`, and `/` between two others.
    case zoneName
  }

  /// The kind of text as the subject of a sentence, such as "The application's name".
  public let what: String
  /// The permitted number of bytes of UTF-8.
  public let bytes: ClosedRange<Int>
  public let characters: Characters

  public static let deviceName = TextRule(what: "The name", bytes: 1...Limits.nameBytes, characters: .visible)
  public static let software = TextRule(
    what: "The software's version", bytes: 1...Limits.nameBytes, characters: .visible)
  public static let appID = TextRule(what: "The application's ID", bytes: 1...Limits.appIDBytes, characters: .word)
  public static let displayName = TextRule(
    what: "The application's name", bytes: 1...Limits.appIDBytes, characters: .line)
  public static let matcherValue = TextRule(what: "A matcher's value", bytes: 1...Limits.lineBytes, characters: .line)
  public static let message = TextRule(what: "A message", bytes: 1...Limits.messageBytes, characters: .paragraphs)
  public static let registerValue = TextRule(what: "The value", bytes: 0...Register.valueBytes, characters: .paragraphs)
  public static let fact = TextRule(what: "The fact", bytes: 1...Fact.textBytes, characters: .paragraphs)
  /// The rule for entries of lists that machines give of themselves.
  public static let inventoryEntry = TextRule(what: "The entry", bytes: 1...Limits.lineBytes, characters: .paragraphs)
  public static let accountName = TextRule(what: "The account's name", bytes: 1...Account.nameBytes, characters: .word)
  /// The rule for an account's name and the path of its home in orders.
  public static let accountPlace = TextRule(
    what: "The account's name or home", bytes: 0...Limits.lineBytes, characters: .line)
  /// The rule for the name of the person who has an account.
  public static let fullName = TextRule(what: "The person's name", bytes: 0...Limits.appIDBytes, characters: .line)
  public static let appVersion = TextRule(
    what: "The application's version", bytes: 0...Limits.nameBytes, characters: .line)
  public static let zone = TextRule(what: "The zone", bytes: 1...Limits.nameBytes, characters: .zoneName)
  public static let reason = TextRule(what: "The reason", bytes: 0...Limits.lineBytes, characters: .line)
  /// A path or a value in a request to the local API.
  public static let requestPart = TextRule(
    what: "A part of the request's path", bytes: 0...Limits.messageBytes, characters: .line)

  /// All rules for texts that are stored or sent.
  public static let all = [
    deviceName, software, appID, displayName, matcherValue, message, zone, reason, registerValue, accountName, fullName,
    fact, appVersion, accountPlace, inventoryEntry,
  ]

  /// Returns the same rule for a text that people know by another name.
  public func called(_ what: String) -> TextRule { TextRule(what: what, bytes: bytes, characters: characters) }

  /// Returns a sentence with the fault of a text and the next step; `nil` if it is valid.
  public func fault(in text: String) -> String? { faultPhrase(in: text)?.worded() }

  public func faultPhrase(in text: String) -> Phrase? {
    let what = Phrase.Argument.phrase(Phrase(what))
    if !bytes.contains(text.utf8.count) {
      let (least, most) = (Self.number(bytes.lowerBound), Self.number(bytes.upperBound))
      return Phrase(
        "{what} must have {least} to {most} bytes of UTF-8.",
        ["what": what, "least": .text(least), "most": .text(most)])
    }
    guard let scalar = forbidden(in: text) else { return nil }
    switch characters {
    case .zoneName: return Phrase("{what} must be an IANA name, such as Europe/Berlin.", ["what": what])
    case .word where scalar == " ": return Phrase("{what} has a space: leave it out.", ["what": what])
    case .line, .paragraphs, .visible, .word:
      return Phrase(
        "{what} has the character {character}, which cannot be shown: leave it out.",
        ["what": what, "character": .text(Self.name(scalar))])
    }
  }

  /// Returns whether the rule permits every character of a text, regardless of its length.
  public func allowsCharacters(of text: String) -> Bool { forbidden(in: text) == nil }

  /// Returns the text with U+FFFD for forbidden characters, cut to the permitted size.
  public func cleaned(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      let shown = allows(scalar) ? scalar : "\u{FFFD}"
      count += UTF8.width(shown)
      guard count <= bytes.upperBound else { break }
      kept.append(shown)
    }
    return String(kept)
  }

  /// Returns the first character of a text that the rule forbids; `nil` if there is none.
  private func forbidden(in text: String) -> Unicode.Scalar? {
    if isPlain(text) { return nil }
    if case .zoneName = characters {
      let isSplit = text.hasPrefix("/") || text.hasSuffix("/") || text.contains("//")
      if isSplit { return "/" }
    }
    return text.unicodeScalars.first { !allows($0) }
  }

  /// Returns whether a text has nothing but permitted characters of ASCII.
  ///
  /// That is the most frequent case, and needs no Unicode tables.
  private func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      if case .zoneName = characters { return Self.isZoneName(bytes) }
      let (least, other): (UInt8, UInt8) =
        switch characters {
        case .word: (0x21, 0x21)
        case .paragraphs: (0x20, 0x0A)
        case .line, .visible, .zoneName: (0x20, 0x20)
        }
      // The loop visits every byte and has no branches, so that the processor can check many at a
      // time.
      var others: UInt8 = 0
      for byte in bytes {
        let isOutside: UInt8 = byte &- least >= 0x7F - least ? 1 : 0
        let isDifferent: UInt8 = byte == other ? 0 : 1
        others |= isOutside & isDifferent
      }
      return others == 0
    }
  }

  private static func isZoneName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let slash = UInt8(ascii: "/")
    var last = slash
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        break
      case slash where last != slash: break
      default: return false
      }
      last = byte
    }
    return bytes.isEmpty || last != slash
  }

  private func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch characters {
    case .zoneName:
      return scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789+-_/".unicodeScalars.contains(scalar))
    case .line: return Self.isLine(scalar)
    case .paragraphs: return scalar == "\n" || Self.isLine(scalar)
    case .visible: return Self.isVisible(scalar)
    case .word: return Self.isVisible(scalar) && scalar.properties.generalCategory != .spaceSeparator
    }
  }

  private static func isLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: return true
    case 0x202A...0x202E, 0x2066...0x2069: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
    default: return true
    }
  }

  /// Returns the name of a character, such as `U+0000`.
  private static func name(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Returns a number with a comma between thousands.
  private static func number(_ number: Int) -> String {
    let rest = String(number % 1_000)
    return number < 1_000 ? rest : "\(number / 1_000)," + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
