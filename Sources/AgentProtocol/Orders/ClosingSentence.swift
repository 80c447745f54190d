import LatchkeyModel

/// The sentences that tell a child that a program closes, made from the reason in its terms.
///
/// A reason names the application before its first colon, or is a sentence: “Kart is blocked”.
/// Spec: Protocol/13-agent.md §4.
public enum ClosingSentence {
  /// Returns the reason for an application's terms, such as “Kart: bedtime”.
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

  /// Returns the sentence that warns of a program's closing `left` milliseconds before.
  ///
  /// `phrase` returns the phrase of a cause in words, to be read in another language.
  public static func warning(
    reason: String, left: Int64, phrase: (String) -> Phrase = { Phrase(verbatim: $0) }
  ) -> Phrase {
    let time = Phrase.Argument.phrase(time(left))
    if let (name, why) = parts(reason) {
      let arguments: [String: Phrase.Argument] = ["app": called(name), "time": time, "why": cause(why, phrase)]
      return Phrase("{app} closes in {time}: {why}.", arguments)
    }
    let known = phrase(reason)
    if known.text == "{app} is blocked", let app = known.arguments["app"] {
      return Phrase("{app} closes in {time}: it is blocked.", ["app": app, "time": time])
    }
    if let blocked = reason.firstRange(of: " is blocked"), blocked.lowerBound > reason.startIndex {
      let app = called(reason[..<blocked.lowerBound])
      let rest = reason[blocked.upperBound...]
      if rest.isEmpty { return Phrase("{app} closes in {time}: it is blocked.", ["app": app, "time": time]) }
      if rest.hasPrefix(" for ") {
        return Phrase(
          "{app} closes in {time}: it is blocked for {child}.",
          ["app": app, "time": time, "child": .text(String(rest.dropFirst(5)))])
      }
    }
    return Phrase("In {time}, a program closes: {why}.", ["time": time, "why": cause(reason, phrase)])
  }

  /// Returns the sentence after a program was closed or paused, or was asked to end within
  /// `graceMilliseconds`.
  public static func closed(
    reason: String, deed: AgentReport.Deed, graceMilliseconds: Int64 = ProgramTerms.usualGrace,
    phrase: (String) -> Phrase = { Phrase(verbatim: $0) }
  ) -> Phrase {
    if deed == .asked, graceMilliseconds > ProgramTerms.usualGrace {
      let warning = warning(reason: reason, left: graceMilliseconds, phrase: phrase)
      return Phrase("{warning} Save your work.", ["warning": .phrase(warning)])
    }
    let isPaused = deed == .paused
    if let (name, why) = parts(reason) {
      let arguments: [String: Phrase.Argument] = ["app": called(name), "why": cause(why, phrase)]
      return isPaused ? Phrase("{app} was paused: {why}.", arguments) : Phrase("{app} was closed: {why}.", arguments)
    }
    if reason.isEmpty { return isPaused ? Phrase("A program was paused.") : Phrase("A program was closed.") }
    // The reason is a complete sentence: “Kart is blocked”.
    let why = ["why": cause(reason, phrase)]
    return isPaused ? Phrase("{why}. It was paused.", why) : Phrase("{why}. It was closed.", why)
  }

  /// Returns the sentence that warns of the closing of an account's sessions some milliseconds
  /// before.
  public static func sessionsWarning(
    reason: String, left: Int64, phrase: (String) -> Phrase = { Phrase(verbatim: $0) }
  ) -> Phrase {
    let time = Phrase.Argument.phrase(time(left))
    return reason.isEmpty
      ? Phrase("This session closes in {time}. Save your work.", ["time": time])
      : Phrase("This session closes in {time}: {why}. Save your work.", ["time": time, "why": cause(reason, phrase)])
  }

  public static func sessionsClosed(reason: String, phrase: (String) -> Phrase = { Phrase(verbatim: $0) }) -> Phrase {
    reason.isEmpty
      ? Phrase("This session closes now.") : Phrase("This session closes now: {why}.", ["why": cause(reason, phrase)])
  }

  private static func time(_ left: Int64) -> Phrase {
    guard left >= 60_000 else { return Phrase("less than a minute") }
    let minutes = Int(clamping: (left + 59_999) / 60_000)
    return Phrase(one: "{count} minute", other: "{count} minutes", count: minutes)
  }

  /// Returns the name of a program: that of an unknown one has words of its own around it.
  private static func called(_ name: Substring) -> Phrase.Argument {
    if name == "An unknown program" { return .phrase(Phrase("An unknown program")) }
    guard name.hasPrefix("The unknown program “"), name.hasSuffix("”") else { return .text(String(name)) }
    return .phrase(Phrase("The unknown program “{file}”", ["file": .text(String(name.dropFirst(21).dropLast()))]))
  }

  private static func cause(_ why: some StringProtocol, _ phrase: (String) -> Phrase) -> Phrase.Argument {
    .phrase(phrase(why.hasSuffix(".") ? String(why.dropLast()) : String(why)))
  }

  private static func parts(_ reason: String) -> (name: Substring, why: Substring)? {
    guard let colon = reason.firstRange(of: ": "), colon.lowerBound > reason.startIndex,
      colon.upperBound < reason.endIndex
    else { return nil }
    return (reason[..<colon.lowerBound], reason[colon.upperBound...])
  }
}
