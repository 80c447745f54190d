/// Text that other machines or people wrote, made safe to show: it cannot start a line of its own or steer a terminal.
public enum PrintableText {
  /// Replace control, invisible and line-breaking characters by U+FFFD.
  public static func of(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      safe.unicodeScalars.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar)
    }
    return safe
  }

  /// Escape what the same characters would do in JSON text, without changing the value that it stands for.
  ///
  /// - Parameter json: as an encoder wrote it, so that every such character but a line feed stands in a string.
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
