import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode

struct AppsRefusedSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refused", abstract: "List programs that were closed because they are not listed.",
    discussion: """
      With `latchkey settings set --programs listed`, only applications with a category and always-allowed ones may run. A \
      child's machine keeps for a week which others were closed, also when all programs may run again, and this shows the \
      command that allows each. A copy of a known application is listed as that application until that one is allowed.

      A program in a folder of the child's own is listed as the application that the child's menu first called it, with its \
      file. It is allowed by its content, so that no other file can take its place.

      Example: latchkey apps refused --child Emma
      """)

  @OptionGroup var listing: ListingOptions

  @Option(child: "Only those of this child.") var child: String?

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let refused = try await interface.ask(Endpoints.getRefused, child)
    if listing.format == .json { return try console.write(JSONText.pretty(refused)) }
    if refused.isEmpty {
      for sentence in RefusedText.empty(try await RuleOwner.child(child).all(at: interface)) {
        try console.say(sentence)
      }
      return
    }
    try console.write(RefusedText.page(refused, zone: environment.timeZone))
    for sentence in RefusedText.notes(refused) { console.note(sentence) }
  }
}

struct AppsAllowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Allow a program that was closed because it is not listed.",
    discussion: """
      The program gets a category if it has none, a matcher if nothing recognizes it yet, and the name in the list if it has \
      none, so that other commands take that name as well. The rules of its application hold for it. `latchkey apps refused` \
      lists such programs.

      Example: latchkey apps allow Chess --child Emma --category learning
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: .value("program", "The program's name, ID, file or path in that list."), completion: CompletionNames.refused)
  var program: String

  @Option(child: "The child; may be left out if there is only one.") var child: String?

  @Option(
    help: .value(
      "learning|reward|neutral", "What using it does to points; if left out, what it does already, or nothing."))
  var category: AppCategory?

  mutating func validate() throws {
    let rule = program.contains("/") ? TextRule.matcherValue : TextRule.displayName
    if let fault = rule.fault(in: program) { throw ValidationError(fault) }
  }

  func run() async throws {
    let interface = try await node.open()
    let refused = try await interface.ask(Endpoints.getRefused, child)
    let found = try Self.find(program, among: refused)
    if let sentence = RefusedText.unallowable(found) { throw TerminalFailure(.data, sentence) }
    try await RuleIssue.set(
      found.allowing(category), of: .child(found.childID.description), at: interface, options: options)
    for sentence in [RefusedText.recognized(found), RefusedText.trust(in: [found])].compactMap(\.self) {
      console.note(sentence)
    }
  }

  /// Finds a program by its whole name or ID, its file, or its matcher with or without the kind.
  ///
  /// - Throws: `TerminalFailure` if not exactly one program has the name.
  static func find(_ text: String, among refused: [RefusedListing]) throws -> RefusedListing {
    let isPath = text.hasPrefix("/")
    for isNamed in [
      { $0.file == text }, { $0.matcher == text },
      { ["path", "argument"].map { kind in "\(kind) \(text)" }.contains($0.matcher ?? "") },
    ] as [(RefusedListing) -> Bool] where isPath || text.contains(" ") {
      let files = refused.filter(isNamed)
      if !files.isEmpty { return try only(text, files) }
    }
    let candidates = refused.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
    let match: AppID?
    do { match = try AppSearch.find(text, among: candidates, isWhole: true) } catch {
      throw TerminalFailure(.unknownName, ShownText.safe(error.description))
    }
    guard let match else {
      let question = AppSearch.question(for: text, among: candidates, quote: ShownText.safe)
      throw TerminalFailure(
        .unknownName,
        "No program “\(ShownText.safe(text))” was refused"
          + (question.isEmpty ? ": `latchkey apps refused` lists those that were." : ". \(question)"))
    }
    return try only(text, refused.filter { $0.appID == match })
  }

  private static func only(_ text: String, _ found: [RefusedListing]) throws -> RefusedListing {
    let (name, files) = ("“\(ShownText.safe(text))”", Set(found.compactMap(\.file)).sorted().map(ShownText.safe))
    if Set(found.map(\.childID)).count > 1 {
      let names = Set(found.map { ShownText.safe($0.childName.text) }).sorted().joined(separator: " and ")
      throw TerminalFailure(.unknownName, "\(name) was refused for \(names): name one of them with --child.")
    }
    if Set(found.map(\.matcher)).count == 1 { return found[0] }
    throw TerminalFailure(
      .unknownName,
      files.isEmpty
        ? "Several programs were refused as \(name): allow the one that is meant with `latchkey app set` and --matcher."
        : "Several files were refused as \(name): name the one that is meant, \(files.joined(separator: ", ")).")
  }
}
