import LatchkeyModel
import LatchkeyRules

/// The applications that a person may mean.
struct KnownApps: Sendable {
  var apps: [AppListing]
  var machines: [InstalledListing]
  var groups: [GroupName]

  init(_ apps: [AppListing], of child: ChildID?, on machines: [InstalledListing], groups: [GroupName] = []) {
    (self.apps, self.groups) = (apps, groups)
    self.machines = machines.filter { machine in
      !machine.apps.isEmpty && (child.map { machine.children.contains($0) } ?? true)
    }
  }

  private var candidates: [AppSearch.Candidate] {
    apps.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
      + machines.flatMap(\.apps).map {
        AppSearch.Candidate(appID: $0.appID, name: $0.displayName, isInstalled: true)
      }
  }

  /// Returns whether a parent has said how it is recognized, or a machine has it installed.
  func isRecognized(_ id: AppID) -> Bool {
    apps.contains { $0.appID == id && !$0.matchers.isEmpty }
      || machines.contains { $0.apps.contains { $0.appID == id } }
  }

  func name(of id: AppID) -> String {
    let named = apps.first { $0.appID == id && $0.displayName != id.text }?.displayName
    let installed = machines.lazy.flatMap(\.apps).first { $0.appID == id }?.displayName
    return PrintableText.of(named ?? installed ?? id.text)
  }

  /// Returns the application whose rules a person sets: a known one, or a new one.
  ///
  /// `isNew` says that the text is the ID of one that nothing is known of. It throws for a name
  /// that no application has, and for what looks like a misspelling.
  func choose(_ text: String, isNew: Bool) throws(LocalAPIError) -> AppID {
    if let group = try groupMeant(by: text) { throw group }
    if let match = try match(text, isWhole: isNew) { return match }
    let (question, shown) = (question(text), PrintableText.of(text))
    guard let id = AppID(text) else {
      throw LocalAPIError(
        .unknownItem,
        "No application is called “\(shown)”. \(question.isEmpty ? "" : question + " ")A new one is "
          + "named by its ID, such as org.gnome.Chess; --name gives it a name that people read.")
    }
    if isNew { return id }
    guard machines.isEmpty else {
      throw LocalAPIError(
        .unknownItem,
        "No application “\(shown)” was on \(places) at the last look. \(question.isEmpty ? scans : question) For one that is "
          + "installed later, add --new.")
    }
    guard question.isEmpty else {
      throw LocalAPIError(
        .unknownItem, "No application “\(shown)” has rules yet. \(question) If it is another application, add --new.")
    }
    return id
  }

  private var places: String { machines.map { PrintableText.of($0.deviceName.text) }.joined(separator: " or ") }

  /// A sentence with the whole commands that look at what is installed now.
  private var scans: String {
    let commands = machines.map { "`latchkey apps scan --on \(ShellWord.machine($0.deviceName, $0.deviceID))`" }
    return "\(commands.joined(separator: " or ")) looks again, and lists what is installed."
  }

  /// Returns a question about similar names, which may be empty, and the commands that look at the
  /// machines again; `more` are applications whose names may be meant as well.
  func hints(_ text: String, besides more: [AppSearch.Candidate]) -> (question: String, scans: String) {
    (question(text, besides: more), machines.isEmpty ? "`latchkey apps scan` lists what is installed." : scans)
  }

  private func question(_ text: String, besides more: [AppSearch.Candidate] = []) -> String {
    AppSearch.question(for: text, among: candidates + more, quote: PrintableText.of)
  }

  /// Returns the application that a text names, also by a beginning if it is installed.
  ///
  /// It throws if several applications fit.
  func match(_ text: String, isWhole: Bool = false) throws(LocalAPIError) -> AppID? {
    do {
      return try AppSearch.find(text, among: candidates, isWhole: isWhole)
    } catch { throw LocalAPIError(.unknownItem, PrintableText.of(error.description)) }
  }

  /// Returns the application that a child asks for, which need not be known.
  ///
  /// With `orCategory`, a text that resembles a category and names no application is refused.
  func askedFor(_ text: String, orCategory: Bool) throws(LocalAPIError) -> AppID {
    if let match = try match(text) { return match }
    let question = Spelling.question(for: text, among: AppCategory.allCases.map(\.rawValue))
    if orCategory, !question.isEmpty {
      throw LocalAPIError(.invalid, "No application is called “\(PrintableText.of(text))”. \(question)")
    }
    guard let id = AppID(text) else {
      throw LocalAPIError(
        .invalid, phrase: "An application's ID has 1 to {bytes} bytes without spaces, such as org.gnome.Chess.",
        ["bytes": .number(Limits.appIDBytes)])
    }
    return id
  }

  func isGroup(_ name: String) -> Bool { groups.contains { $0.text.lowercased() == name.lowercased() } }

  /// Returns the error about a text that names a group; `nil` if it names none.
  private func group(_ text: String) -> LocalAPIError? {
    groups.first { $0.text.lowercased() == text.lowercased() }.map {
      LocalAPIError(
        .unknownItem,
        phrase: "“{group}” is a group: `latchkey apps group set {group}` sets its rules. Here, name one application.",
        ["group": .text($0.text)])
    }
  }

  /// Returns that error, unless an application has that whole name or ID.
  private func groupMeant(by text: String) throws(LocalAPIError) -> LocalAPIError? {
    guard let group = group(text), try match(text, isWhole: true) == nil else { return nil }
    return group
  }

  func unknown(_ text: String) -> LocalAPIError {
    if let group = group(text) { return group }
    let question = question(text)
    let what = machines.isEmpty ? "has rules" : "has rules or was on \(places) at the last look"
    return LocalAPIError(
      .unknownItem,
      "No application “\(PrintableText.of(text))” \(what)"
        + (question.isEmpty
          ? ": `latchkey apps` lists those that have rules." + (machines.isEmpty ? "" : " \(scans)")
          : ". \(question)"))
  }

  func find(_ text: String) throws(LocalAPIError) -> EditedApp {
    if let group = try groupMeant(by: text) { throw group }
    guard let id = try match(text) else { throw unknown(text) }
    return edited(id)
  }

  /// Returns the application whose use a person records: one of this whole name, or this ID.
  func tracked(_ text: String) throws(LocalAPIError) -> EditedApp {
    guard let id = try match(text, isWhole: true) ?? AppID(text) else { throw unknown(text) }
    return edited(id)
  }

  func edited(_ id: AppID) -> EditedApp { EditedApp(appID: id, name: name(of: id), isRecognized: isRecognized(id)) }

  /// Returns a request with the whole keys of the application that it names, and that application.
  ///
  /// A reset becomes the removal of those of its rules that are among the keys `present`. It throws
  /// for an application that is unknown, and for points of one that has no category.
  func resolve(
    _ text: String, in request: RuleRequest, _ present: Set<RegisterKey>
  ) throws(LocalAPIError) -> (request: RuleRequest, app: EditedApp) {
    if request.isReset == true {
      var app = try find(text)
      let keys = present.filter { RuleKey($0)?.application == app.appID }.sorted()
      let hasRules = apps.contains { $0.appID == app.appID && !$0.rules.isEmpty }
      app.reset = !keys.isEmpty ? .removed : hasRules ? .elsewhere : .unset
      return (RuleRequest(keys.map { .init($0.text, nil) }), app)
    }
    let id = try choose(text, isNew: request.isNew == true)
    let keys = Set(request.changes.map(\.key))
    if keys.contains("rate"), !keys.contains("category") {
      let category = apps.first { $0.appID == id }?.category ?? DefaultCategory.all[id]
      guard let category, category != .neutral else { throw .needsCategory }
    }
    return (request.rules(of: id), edited(id))
  }
}

extension LocalAPIError {
  /// Creates an error with values in the places of its phrase.
  init(_ code: Code, phrase text: String, _ arguments: [String: Phrase.Argument]) {
    self.init(code, phrase: Phrase(text, arguments))
  }

  /// The answer to points of an application without a category that earns or costs them.
  package static let needsCategory = LocalAPIError(
    .invalid,
    phrase: "Points need a category: add --category learning, which earns them, or --category reward, which costs them."
  )
}

extension Call {
  /// Returns what people call applications: as parents have named them, or as machines tell.
  func appTerms(_ household: Household) async throws -> RuleTerms {
    var names = try await installedNames(of: nil, household)
    for child in household.children {
      for (app, rules) in household.rules(for: child.id).apps where rules.name != nil { names[app] = rules.name }
    }
    return RuleTerms(names: names.mapValues { PrintableText.of($0) })
  }
}

extension RuleTerms {
  /// Returns what to call the application that a condition is about, if it is about one.
  func told(_ condition: MachineCondition) -> ConditionKind.AppWords? {
    guard condition.isOfApplication, let app = AppID(condition.detail) else { return nil }
    return ConditionKind.AppWords(name: names[app] ?? app.readable, argument: argument(app))
  }
}
