import ArgumentParser
import LatchkeyModel
import LatchkeyNode

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

  /// The applications that a person may mean.
  struct Known {
    /// Those that have rules.
    var apps: [AppListing]
    /// What is installed on the machines in question.
    var machines: [InstalledListing]

    /// Creates the value, with what is installed on a child's machines; without a child, on all machines.
    init(_ apps: [AppListing], of child: ChildID?, at node: any NodeInterface) async throws(LocalAPIError) {
      self.apps = apps
      machines = try await node.ask(Endpoints.getInstalled, (nil, nil)).filter { machine in
        !machine.apps.isEmpty && (child.map { machine.children.contains($0) } ?? true)
      }
    }

    var candidates: [AppSearch.Candidate] {
      apps.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
        + machines.flatMap(\.apps).map {
          AppSearch.Candidate(appID: $0.appID, name: $0.displayName, isInstalled: true)
        }
    }

    /// Returns whether a parent has said how the application is recognized, or a machine has it installed.
    func isRecognized(_ id: AppID) -> Bool {
      apps.contains { $0.appID == id && !$0.matchers.isEmpty }
        || machines.contains { $0.apps.contains { $0.appID == id } }
    }

    /// Returns the name of an application for people.
    func name(of id: AppID) -> String {
      let named = apps.first { $0.appID == id && $0.displayName != id.text }?.displayName
      let installed = machines.lazy.flatMap(\.apps).first { $0.appID == id }?.displayName
      return ShownText.safe(named ?? installed ?? id.text)
    }
  }

  /// Returns the ID of the application whose rules a person sets: one that has rules or is installed, or a new one.
  ///
  /// - Parameters:
  ///   - text: An application's name or ID, or a beginning of that of an installed one.
  ///   - isNew: A Boolean value that indicates whether the text is the ID of one that nothing is known of.
  ///   - known: The applications to choose from.
  /// - Returns: The application's ID.
  /// - Throws: `TerminalFailure` for a name that no application has, and for what looks like a misspelling of one.
  static func id(_ text: String, isNew: Bool, among known: Known) throws(TerminalFailure) -> AppID {
    if let match = try match(text, among: known, isWhole: isNew) { return match }
    let question = question(text, among: known)
    guard let id = AppID(text) else {
      throw TerminalFailure(
        .unknownName,
        "No application is called “\(ShownText.safe(text))”. \(question.isEmpty ? "" : question + " ")A new one is "
          + "named by its ID, such as org.gnome.Chess; --name gives it a name that people read.")
    }
    if isNew { return id }
    guard known.machines.isEmpty else {
      let next = question.isEmpty ? "`latchkey apps scan` lists those that are." : question
      throw TerminalFailure(
        .unknownName,
        "No application “\(ShownText.safe(text))” is on \(places(known)). \(next) For one that is installed later, add --new."
      )
    }
    guard question.isEmpty else {
      throw TerminalFailure(
        .unknownName,
        "No application “\(ShownText.safe(text))” has rules yet. \(question) If it is another application, add --new.")
    }
    return id
  }

  private static func places(_ known: Known) -> String {
    known.machines.map { ShownText.safe($0.deviceName.text) }.joined(separator: " or ")
  }

  private static func question(_ text: String, among known: Known) -> String {
    AppSearch.question(for: text, among: known.candidates, quote: ShownText.safe)
  }

  /// Returns the application that a text names by its ID or by the name that people read, or by a beginning of those of one
  /// that is installed; `nil` if there is none.
  ///
  /// - Throws: `TerminalFailure` if several applications fit.
  static func match(
    _ text: String, among known: Known, isWhole: Bool = false
  ) throws(TerminalFailure) -> AppID? {
    do {
      return try AppSearch.find(text, among: known.candidates, isWhole: isWhole)
    } catch { throw TerminalFailure(.unknownName, ShownText.safe(error.description)) }
  }

  /// Returns the failure for an application that nothing is known of.
  static func unknown(_ text: String, among known: Known) -> TerminalFailure {
    let question = question(text, among: known)
    let what = known.machines.isEmpty ? "has rules" : "has rules or is on \(places(known))"
    return TerminalFailure(
      .unknownName,
      "No application “\(ShownText.safe(text))” \(what)"
        + (question.isEmpty
          ? ": `latchkey apps` lists those that have rules, and `latchkey apps scan` those that are installed."
          : ". \(question)"))
  }
}
