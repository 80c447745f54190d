import LatchkeyModel

/// The sentences that say to a child that a program closes or was closed, made from the reason in
/// its terms.
///
/// A reason names the application before its first colon, or is a complete sentence, such as “Kart
/// is blocked”.
///
/// Spec: Protocol/13-agent.md §4.
public enum ClosingSentence {
  /// Returns the reason for an application's terms: its name and the cause, such as “Kart:
  /// bedtime”.
  public static func reason(name: String, why: String) -> String {
    if why.hasPrefix(name) { return why }
    // The first colon ends the name.
    return "\(name.replacing(": ", with: " – ")): \(why)"
  }

  /// Returns the reason in the terms of unknown programs with the file name of one of them.
  ///
  /// The name lets the child know which program it was, and ask for it.
  public static func reason(_ reason: String, ofUnknown file: Substring) -> String {
    Self.reason(reason, of: file) { "The unknown program “\($0)”" }
  }

  /// Returns the reason in the terms of the other programs with the file name of one of them.
  public static func reason(_ reason: String, ofOther file: Substring) -> String {
    Self.reason(reason, of: file) { "“\($0)”" }
  }

  private static func reason(_ reason: String, of file: Substring, called: (String) -> String) -> String {
    let file = file.hasSuffix(" (deleted)") ? file.dropLast(10) : file
    guard !file.isEmpty, let (_, why) = parts(reason) else { return reason }
    let name = TextRule.displayName.cleaned(String(file).replacing(": ", with: " – "))
    return "\(called(name)): \(why)"
  }

  /// Returns the sentence that warns of a program's closing some milliseconds before.
  public static func warning(reason: String, left: Int64) -> String {
    let time = time(left)
    guard let (name, why) = parts(reason) else {
      guard let blocked = reason.firstRange(of: " is blocked"), blocked.lowerBound > reason.startIndex else {
        return "In \(time), a program closes: \(ended(reason))"
      }
      return "\(reason[..<blocked.lowerBound]) closes in \(time): it\(ended(reason[blocked.lowerBound...]))"
    }
    return "\(name) closes in \(time): \(ended(why))"
  }

  /// Returns the sentence after a program was closed or paused, or was asked to end and has a while
  /// to do it.
  public static func closed(
    reason: String, deed: AgentReport.Deed, graceMilliseconds: Int64 = ProgramTerms.usualGrace
  ) -> String {
    if deed == .asked, graceMilliseconds > ProgramTerms.usualGrace {
      return "\(warning(reason: reason, left: graceMilliseconds)) Save your work."
    }
    let verb = deed == .paused ? "paused" : "closed"
    guard let (name, why) = parts(reason) else {
      // The reason is a complete sentence: “Kart is blocked”.
      return reason.isEmpty ? "A program was \(verb)." : "\(ended(reason)) It was \(verb)."
    }
    return "\(name) was \(verb): \(ended(why))"
  }

  /// Returns the sentence that warns of the closing of an account's sessions some milliseconds
  /// before.
  public static func sessionsWarning(reason: String, left: Int64) -> String {
    "This session closes in \(time(left))\(reason.isEmpty ? "." : ": \(ended(reason))") Save your work."
  }

  /// Returns the sentence when an account's sessions close.
  public static func sessionsClosed(reason: String) -> String {
    "This session closes now\(reason.isEmpty ? "." : ": \(ended(reason))")"
  }

  private static func time(_ left: Int64) -> String {
    let minutes = max(0, left + 59_999) / 60_000
    return left < 60_000 ? "less than a minute" : minutes == 1 ? "1 minute" : "\(minutes) minutes"
  }

  private static func parts(_ reason: String) -> (name: Substring, why: Substring)? {
    guard let colon = reason.firstRange(of: ": "), colon.lowerBound > reason.startIndex,
      colon.upperBound < reason.endIndex
    else { return nil }
    return (reason[..<colon.lowerBound], reason[colon.upperBound...])
  }

  private static func ended(_ text: some StringProtocol) -> String { text.hasSuffix(".") ? "\(text)" : "\(text)." }
}
