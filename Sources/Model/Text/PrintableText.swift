/// The conversion of text from other machines or people into a form that cannot start a line or
/// control a terminal.
public enum PrintableText {
  /// Returns a text with control, invisible and line-breaking characters replaced by U+FFFD.
  public static func of(_ text: String) -> String {
    let scalars = text.unicodeScalars
    var safe = ""
    for index in scalars.indices {
      let isShown = !isUnsafe(scalars[index]) || joinsEmoji(index, scalars) || isOfFlag(index, scalars)
      safe.unicodeScalars.append(isShown ? scalars[index] : "\u{FFFD}")
    }
    return safe
  }

  /// Returns whether a scalar is the joiner between two emoji that are one picture, such as a
  /// family.
  private static func joinsEmoji(_ index: String.Index, _ scalars: String.UnicodeScalarView) -> Bool {
    guard scalars[index] == "\u{200D}", index > scalars.startIndex else { return false }
    let (before, next) = (scalars[scalars.index(before: index)], scalars.index(after: index))
    guard next < scalars.endIndex, !before.isASCII, !scalars[next].isASCII else { return false }
    return (before == "\u{FE0F}" || before.properties.isEmoji) && scalars[next].properties.isEmoji
  }

  /// Returns whether a scalar is one of the tags that make a flag of a region out of a black one,
  /// such as that of England: 3 to 6 letters or digits, and their end.
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

  /// Returns JSON text with the same characters escaped, which does not change its value.
  ///
  /// - Parameter json: The output of an encoder, in which such characters occur only within
  ///   strings, except for line feeds.
  /// - Returns: Text that is safe to show on a terminal.
  public static func escapedJSON(_ json: String) -> String {
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
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
