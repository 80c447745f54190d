/// The words of command lines that people copy into a shell, or have a shell complete.
///
/// The names of machines and applications can be other machines' text. Only a name in which no
/// shell finds anything to expand may stand on a command line; a machine with another name is named
/// by its ID there.
public enum ShellWord {
  /// The ASCII characters that are literal in double quotes and in what a shell completes, beside
  /// letters and digits.
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

  /// Returns a person's name as one word of a command line, in double quotes where it needs them;
  /// in the place of one that is not plain, `NAME`.
  public static func person(_ name: String) -> String {
    guard isPlain(name) else { return "NAME" }
    return name.allSatisfy { $0.isLetter || $0.isNumber } ? name : "\"\(name)\""
  }

  /// Returns a machine as one word of a command line: its name in double quotes, or its ID if the
  /// name is not plain.
  public static func machine(_ name: DeviceName, _ device: DeviceID) -> String {
    isPlain(name.text) ? "\"\(name.text)\"" : device.short
  }
}
