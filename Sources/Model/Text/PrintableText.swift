/// Text from other machines or people in a form that cannot control a terminal.
public enum PrintableText {
  /// Returns a text with control, invisible and line-breaking characters replaced by U+FFFD.
  public static func of(_ text: String) -> String {
    // Most texts have no other characters, and the tables of Unicode need not be read for them.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    let scalars = text.unicodeScalars
    var safe = ""
    for index in scalars.indices {
      let isShown = !isUnsafe(scalars[index]) || joinsEmoji(index, scalars) || isOfFlag(index, scalars)
      safe.unicodeScalars.append(isShown ? scalars[index] : "\u{FFFD}")
    }
    return safe
  }

  /// Returns whether a scalar is the joiner between two emoji, as in a family.
  private static func joinsEmoji(_ index: String.Index, _ scalars: String.UnicodeScalarView) -> Bool {
    guard scalars[index] == "\u{200D}", index > scalars.startIndex else { return false }
    let (before, next) = (scalars[scalars.index(before: index)], scalars.index(after: index))
    guard next < scalars.endIndex, !before.isASCII, !scalars[next].isASCII else { return false }
    return (before == "\u{FE0F}" || before.properties.isEmoji) && scalars[next].properties.isEmoji
  }

  /// Returns whether a scalar is a tag in the flag of a region: 3 to 6 letters or digits and an
  /// end.
  private static func isOfFlag(_ index: String.Index, _ scalars: String.UnicodeScalarView) -> Bool {
    guard isTag(scalars[index]) else { return false }
    let before = scalars[..<index].reversed().prefix { isTag($0) }.count
    let start = scalars.index(index, offsetBy: -before)
    guard start > scalars.startIndex, scalars[scalars.index(before: start)] == "\u{1F3F4}" else { return false }
    let tags = scalars[start...].prefix { isTag($0) }
    return (4...7).contains(tags.count) && tags.last == "\u{E007F}" && tags.dropLast().allSatisfy { $0 != "\u{E007F}" }
  }

  private static func isTag(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xE0030...0xE0039, 0xE0061...0xE007A, 0xE007F: true
    default: false
    }
  }

  /// Returns an encoder's JSON with the same characters escaped, which does not change its value.
  public static func escapedJSON(_ json: String) -> String {
    if json.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) { return json }
    var safe = ""
    for scalar in json.unicodeScalars {
      if scalar != "\n", isUnsafe(scalar) {
        for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
          let digits = String(unit, radix: 16)
          safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return !(0x20...0x7E).contains(scalar.value) }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}

/// Rows as RFC 4180 text.
public enum CSVText {
  /// Returns a header and rows, each line ended by CR LF.
  public static func render(_ header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  /// Returns one field, made safe for a terminal, quoted if necessary, and with an apostrophe
  /// before text that a spreadsheet would take for a formula.
  public static func field(_ text: String) -> String {
    var value = PrintableText.of(text)
    // In a spreadsheet, a stranger's name that begins with "=" would run as a formula. A control
    // character before it, which some spreadsheets skip, is a replacement character by now.
    let formula = "=+-@＝＋－＠\u{FFFD}".unicodeScalars
    if let first = value.unicodeScalars.first(where: { $0 != " " }), formula.contains(first), !isNumber(value) {
      value = "'" + value
    }
    guard value.contains(",") || value.contains("\"") else { return value }
    return "\"" + value.replacing("\"", with: "\"\"") + "\""
  }

  private static func isNumber(_ text: String) -> Bool {
    guard text.hasPrefix("-") else { return false }
    let digits = text.dropFirst()
    return !digits.isEmpty && digits.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
  }
}

/// Words of command lines that people copy into a shell, or that a shell completes.
///
/// Names of machines and applications can come from other machines. A command line contains a name
/// only if no shell expands any part of it. Otherwise, it contains the machine's ID.
public enum ShellWord {
  /// The ASCII characters, beside letters and digits, that are literal in double quotes.
  private static let literal = Set(" .,_-'()+&".unicodeScalars)

  /// Returns whether a text can stand on a command line between double quotes, in any shell.
  public static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, !" -".unicodeScalars.contains(first) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      if scalar.isASCII {
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil || literal.contains(scalar)
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
        .unassigned:
        return false
      default: return true
      }
    }
  }

  /// Returns a name as one word of a command line; `NAME` if it is not plain.
  public static func person(_ name: String) -> String {
    guard isPlain(name) else { return "NAME" }
    return name.allSatisfy { $0.isLetter || $0.isNumber } ? name : "\"\(name)\""
  }

  /// Returns a machine as one word of a command line: its quoted name, or its ID.
  public static func machine(_ name: DeviceName, _ device: DeviceID) -> String {
    isPlain(name.text) ? "\"\(name.text)\"" : device.short
  }
}

/// Properties of a byte of UTF-8 as an ASCII character.
extension UInt8 {
  public var isDigit: Bool { (0x30...0x39).contains(self) }
  public var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }
  public var isLetterOrDigit: Bool { isDigit || (self | 0x20).isLowercaseLetter }
}
