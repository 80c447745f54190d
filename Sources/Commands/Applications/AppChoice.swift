import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel

/// Finds the application that a person means.
enum AppChoice {
  /// Checks that a text can name one application.
  ///
  /// - Throws: `ValidationError` for a text that stands for every application, or that is empty or too long.
  static func check(_ text: String) throws {
    if let fault = AppChange.everything(text) { throw ValidationError(fault) }
    if let fault = TextRule.displayName.fault(in: text) { throw ValidationError(fault) }
  }

  /// Returns the applications that have rules on a child's machine.
  ///
  /// - Throws: What the node answers; on a child's machine, that rules are set on a parent's.
  static func known(on device: String, at node: any NodeInterface) async throws(LocalAPIError) -> [AppConfiguration] {
    do { return try await node.apps(device: device).map(\.configuration) } catch {
      guard error.code == .unknownDevice, try await node.status().role == .child else { throw error }
      throw LocalAPIError(.wrongRole, "Rules are set on a parent's machine: run this there.")
    }
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
  static func id(_ text: String, isNew: Bool, among apps: [AppConfiguration]) throws(TerminalFailure) -> AppID {
    if let match = try match(text, among: apps) { return match.appID }
    let question = question(text, among: apps)
    guard let id = AppID(text) else {
      throw TerminalFailure(
        .unknownName,
        "No application is called “\(ShownText.safe(text))” there. \(question.isEmpty ? "" : question + " ")A new one is "
          + "named by its ID, such as org.gnome.Chess; --name gives it a name that people read.")
    }
    guard isNew || question.isEmpty else {
      throw TerminalFailure(
        .unknownName,
        "No application “\(ShownText.safe(text))” has rules there yet. \(question) If it is another application, add --new."
      )
    }
    return id
  }

  private static func question(_ text: String, among apps: [AppConfiguration]) -> String {
    Spelling.question(for: text, among: apps.flatMap { [$0.appID.text, $0.displayName] }.map(ShownText.safe))
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
    let question = question(text, among: apps)
    return TerminalFailure(
      .unknownName,
      "No application “\(ShownText.safe(text))” has rules on “\(ShownText.safe(device))”"
        + (question.isEmpty ? ": `latchkey apps` lists those that have." : ". \(question)"))
  }
}
