/// Text that other machines or people wrote, made safe to show: it cannot start a line of its own or steer a terminal.
public enum PrintableText {
  /// Replace control, invisible and line-breaking characters by U+FFFD.
  public static func of(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        safe.unicodeScalars.append("\u{FFFD}")
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
