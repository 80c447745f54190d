import ArgumentParser
import LatchkeyModel

/// Finds the application that a person means.
enum AppChoice {
  /// Words that people write for all applications, which are not the ID of any.
  private static let everything: Set<String> = ["*", "all", "any", "every", "everything"]

  /// Returns the application ID in a text, whether or not an application has it.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The ID.
  /// - Throws: `ValidationError`, the person's fault, if the text cannot be an ID.
  static func read(_ text: String) throws -> AppID {
    guard !everything.contains(text.lowercased()), !text.contains(where: { "*?".contains($0) }) else {
      throw ValidationError(
        "“\(ShownText.safe(text))” is no application's name, and rules are set for one application at a time: give its ID, such "
          + "as org.gnome.Chess.")
    }
    guard let id = AppID(text) else {
      throw ValidationError(
        "An application's ID has 1 to \(Limits.appIDBytes) bytes without spaces, such as org.gnome.Chess.")
    }
    return id
  }

  /// Returns the application that a text names by its ID or by the name that people read; `nil` if there is none.
  ///
  /// - Throws: `TerminalFailure` if several applications have the name.
  static func match(_ text: String, among apps: [AppConfiguration]) throws(TerminalFailure) -> AppConfiguration? {
    let ways: [(AppConfiguration) -> Bool] = [
      { $0.appID.text == text }, { $0.displayName == text },
      { $0.appID.text.lowercased() == text.lowercased() || $0.displayName.lowercased() == text.lowercased() },
    ]
    for fits in ways {
      // On several machines it is one application.
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

  /// Returns the failure for an application that has no rules on a machine.
  static func unknown(_ text: String, among apps: [AppConfiguration], on device: String) -> TerminalFailure {
    let names = apps.flatMap { [$0.appID.text, $0.displayName] }.map(ShownText.safe)
    let question = Spelling.question(for: text, among: names)
    return TerminalFailure(
      .unknownName,
      "No application “\(ShownText.safe(text))” has rules on “\(ShownText.safe(device))”"
        + (question.isEmpty ? ": `latchkey apps` lists those that have." : ". \(question)"))
  }
}
