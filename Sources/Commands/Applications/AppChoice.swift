import ArgumentParser
import LatchkeyModel

/// Finds the application that a person means.
enum AppChoice {
  /// Words that people write for every application, of which none is meant.
  private static let everyApp: Set<String> = ["all", "any", "every", "everything"]

  /// Checks that a text can name one application.
  ///
  /// - Throws: `ValidationError` for a text that stands for every application, or that is empty or too long.
  static func check(_ text: String) throws {
    if everyApp.contains(text.lowercased()) || text.contains(where: { "*?".contains($0) }) {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no application's name, and rules are set for one application at a time: give "
          + "its ID, such as org.gnome.Chess.")
    }
    if let fault = TextRule.displayName.fault(in: text) { throw ValidationError(fault) }
  }

  /// Returns the application ID in a text, whether or not an application has it.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The ID.
  /// - Throws: `ValidationError`, the person's fault, if the text cannot be an ID.
  static func read(_ text: String) throws -> AppID {
    try check(text)
    guard let id = AppID(text) else {
      throw ValidationError(
        "An application's ID has 1 to \(Limits.appIDBytes) bytes without spaces, such as org.gnome.Chess.")
    }
    return id
  }

  /// Returns the ID of the application whose rules a person sets: one that has rules, or a new one.
  ///
  /// - Parameters:
  ///   - text: An application's name or ID.
  ///   - isNew: A Boolean value that indicates whether a similar name of an application with rules is no misspelling.
  ///   - apps: The applications that have rules.
  /// - Returns: The application's ID.
  /// - Throws: `TerminalFailure` for a name that no application has, and for what looks like a misspelling of one.
  static func id(_ text: String, isNew: Bool, among apps: [AppListing]) throws(TerminalFailure) -> AppID {
    if let match = try match(text, among: apps) { return match.appID }
    let question = question(text, among: apps)
    guard let id = AppID(text) else {
      throw TerminalFailure(
        .unknownName,
        "No application is called “\(ShownText.safe(text))”. \(question.isEmpty ? "" : question + " ")A new one is "
          + "named by its ID, such as org.gnome.Chess; --name gives it a name that people read.")
    }
    guard isNew || question.isEmpty else {
      throw TerminalFailure(
        .unknownName,
        "No application “\(ShownText.safe(text))” has rules yet. \(question) If it is another application, add --new.")
    }
    return id
  }

  private static func question(_ text: String, among apps: [AppListing]) -> String {
    Spelling.question(for: text, among: apps.flatMap { [$0.appID.text, $0.displayName] }.map(ShownText.safe))
  }

  /// Returns the application that a text names by its ID or by the name that people read; `nil` if there is none.
  ///
  /// - Throws: `TerminalFailure` if several applications have the name.
  static func match(_ text: String, among apps: [AppListing]) throws(TerminalFailure) -> AppListing? {
    let ways: [(AppListing) -> Bool] = [
      { $0.appID.text == text }, { $0.displayName == text },
      { $0.appID.text.lowercased() == text.lowercased() || $0.displayName.lowercased() == text.lowercased() },
    ]
    for fits in ways {
      // For several children it is one application.
      let found = Dictionary(apps.filter(fits).map { ($0.appID, $0) }) { first, _ in first }
      guard let match = found.values.first else { continue }
      guard found.count == 1 else {
        let ids = found.keys.sorted().map(\.text).joined(separator: ", ")
        throw TerminalFailure(
          .unknownName, "“\(ShownText.safe(text))” is the name of several applications: give the ID of one of \(ids).")
      }
      return match
    }
    return nil
  }

  /// Returns the failure for an application that has no rules.
  static func unknown(_ text: String, among apps: [AppListing]) -> TerminalFailure {
    let question = question(text, among: apps)
    return TerminalFailure(
      .unknownName,
      "No application “\(ShownText.safe(text))” has rules"
        + (question.isEmpty ? ": `latchkey apps` lists those that have." : ". \(question)"))
  }
}
