import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct SetupSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up Latchkey on this machine, start it, and say what comes next.",
    discussion: """
      Asks whose machine this is and what it is called, makes its state as `latchkey init` does, starts its service where the \
      package is installed, and looks at the machine with `latchkey doctor`. On a child's machine with the package, run it by \
      sudo; on a parent's as yourself. Without a terminal, or with --yes, nothing is asked.

      On a child's machine, it also asks which child's it is and which accounts are that child's. These accounts are the child's \
      as soon as a parent pairs the machine and says that it is that child's. The machine keeps the answer, which nobody changes \
      there later: a parent does, with `latchkey accounts`.

      Example: latchkey setup
      Example: sudo latchkey setup --role child --name "Emma's PC" --child Emma --account em2012
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: .value("parent|child", "The role of this machine.")) var role: DeviceRole?

  @Option(help: "A name for this machine, up to 64 bytes of UTF-8; with --yes, its host name if it is left out.")
  var name: String?

  @Option(
    parsing: .singleValue,
    help: .value(
      "name", "On a parent's machine, a child of the family; may be given again. On a child's machine, whose it is."))
  var child: [String] = []

  @Option(
    parsing: .singleValue, help: .value("name", "On a child's machine, an account of the child's; may be given again."))
  var account: [String] = []

  @Flag(help: "Ask nothing.") var yes = false
  @Flag(help: "Do not look at the machine at the end.") var noDoctor = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let setup = environment.setup ?? .live(environment.variables)
    let questions = SetupQuestions(console: console, mayAsk: !yes && console.inputIsTerminal && console.talkIsTerminal)
    let given = try (name.map { try DeviceName($0) }, child.map { try ChildName.read($0) })
    let role = if let role { role } else { try await questions.role() }
    try check(role, given.1.first, setup)
    let place = try SetupPlace(
      role, isNamed: node.stateDir != nil || environment.variables["LATCHKEY_STATE_DIR"]?.isEmpty == false,
      folder: node.stateFolder, setup)
    let suggestion = setup.hostName()
    let name: DeviceName
    if let chosen = given.0 {
      name = chosen
    } else if yes, let usual = suggestion.flatMap({ try? DeviceName($0) }) {
      name = usual
    } else {
      name = try await questions.name(of: role, suggestion)
    }
    var children = given.1
    if role == .parent, children.isEmpty, questions.mayAsk { children = try await questions.children() }
    let sessions = role == .parent && questions.mayAsk && !children.isEmpty ? try await questions.sessions() : nil
    let whose = role == .child ? try await owner(given.1.first, questions, setup) : nil
    let accounts = try setup.stated(whose?.child, whose?.accounts ?? [])
    if role == .child { children = [] }

    try await place.create(name, role, accounts, setup, environment)
    console.note(
      "\(ShownText.quoted(name)) is set up as a \(role.rawValue)'s machine, with its state in \(place.folder).")
    let isStarted = place.start(setup, console)
    if isStarted, !children.isEmpty {
      try await add(children, sessions, place)
    } else if !children.isEmpty {
      let commands = children.map { "`latchkey children add \"\($0.text)\"`" }.joined(separator: " and ")
      console.note("Once it runs, add your children: \(commands).")
      if let sessions { console.note("Then set what you answered: `latchkey settings set --sessions \(sessions)`.") }
    }
    let sudo = place.isSystems ? "sudo " : ""
    switch role {
    case .parent: console.note("Next: run `latchkey pair` here and `latchkey setup` on the child's machine.")
    case .child:
      let answer = whose.map { ", where you answer “\($0.child.text)” when it asks whose machine this is" } ?? ""
      console.note("Next: run `\(sudo)latchkey pair` here and `latchkey pair` on a parent's machine\(answer).")
      if let accounts { console.note(Self.sentence(accounts)) }
    }
    if !noDoctor { try await look(place) }
  }

  /// Returns when accounts become the child's.
  private static func sentence(_ stated: StatedAccounts) -> String {
    let (names, child) = (ShownText.list(stated.accounts.map(ShownText.safe)), ShownText.safe(stated.child.text))
    let begin = stated.accounts.count == 1 ? "The account \(names) becomes" : "The accounts \(names) become"
    return "\(begin) \(child)'s when a parent says that this machine is \(child)'s."
  }

  private func check(_ role: DeviceRole, _ child: DeviceName?, _ setup: MachineSetup) throws(TerminalFailure) {
    guard role == .child else {
      if account.isEmpty { return }
      throw TerminalFailure(.usage, "Accounts are a child's on a child's machine: leave --account out.")
    }
    if self.child.count > 1 {
      throw TerminalFailure(
        .usage,
        "Give --child once here; further children get their accounts with `latchkey accounts assign` on a parent's machine."
      )
    }
    _ = try setup.stated(child, account)
  }

  /// Returns whose machine this is and which accounts are the child's, as far as that is known.
  private func owner(
    _ given: DeviceName?, _ questions: SetupQuestions, _ setup: MachineSetup
  ) async throws -> (child: DeviceName, accounts: [String])? {
    var child = given
    if child == nil, questions.mayAsk { child = try await questions.owner() }
    guard let child else { return nil }
    let all = setup.accounts()
    guard account.isEmpty, questions.mayAsk, !all.isEmpty else { return (child, account) }
    return (child, try await questions.accounts(of: child, among: all))
  }

  /// Adds children once the node answers, and sets what is done about sessions.
  private func add(_ children: [DeviceName], _ sessions: String?, _ place: SetupPlace) async throws {
    let environment = TerminalEnvironment.current
    var interface: (any NodeInterface)?
    for _ in 0..<50 where interface == nil {
      interface = try? await environment.openNode(place.folder)
      if interface == nil { try await environment.pause(.milliseconds(200)) }
    }
    guard let interface else {
      throw TerminalFailure(
        .unavailable,
        "The node has not started: see `journalctl --user -u latchkey`, then add your children with `latchkey children add`."
      )
    }
    for child in children { _ = try await interface.ask(Endpoints.addChild, ChildNameRequest(name: child.text)) }
    if let sessions {
      _ = try await interface.ask(Endpoints.setSettings, RuleRequest([ScreenTimeRule.sessions.key.change(sessions)]))
    }
    console.note("Added: \(children.map { ShownText.quoted($0) }.joined(separator: ", ")).")
  }

  /// Shows what `latchkey doctor` finds, which is no failure of the setup.
  private func look(_ place: SetupPlace) async throws {
    let doctor = try await DoctorSubcommand.asyncParse(["--state-dir", place.folder])
    do { try await doctor.run() } catch is ExitCode {}
  }
}

/// The questions of `latchkey setup`, which only a person at a terminal is asked.
struct SetupQuestions {
  let console: any Console
  let mayAsk: Bool

  private static let attempts = 5

  func role() async throws(TerminalFailure) -> DeviceRole {
    try await ask(
      "Is this a parent's or a child's machine? [parent/child] ", "Give --role parent or --role child.",
      again: "Answer parent or child."
    ) {
      let word = $0.lowercased()
      return word.isEmpty ? nil : DeviceRole.allCases.first { $0.rawValue.hasPrefix(word) }
    }
  }

  /// Returns the name of a machine, which is the suggestion if the answer is empty.
  func name(of role: DeviceRole, _ suggestion: String?) async throws(TerminalFailure) -> DeviceName {
    let example = role == .parent ? "Kitchen laptop" : "Emma's PC"
    let hint = suggestion.map { " [\($0)]" } ?? ""
    return try await ask(
      "A name for this machine, such as \(example)\(hint): ", "Give a name with --name.",
      again: "A name has 1 to 64 bytes of UTF-8, and no invisible characters."
    ) { try? DeviceName($0.isEmpty ? suggestion ?? "" : $0) }
  }

  func children() async throws(TerminalFailure) -> [DeviceName] {
    try await ask(
      "Your children's names, separated by commas (Enter for none): ", "Give each child's name with --child.",
      again: "Each name has at most 64 bytes of UTF-8, and no invisible characters."
    ) { answer in
      let names = answer.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      let children = names.compactMap { try? DeviceName(String($0)) }
      return children.count == names.count ? children : nil
    }
  }

  /// Returns the value of the rule for sessions when a child's time is over; `nil` for no rule.
  func sessions() async throws(TerminalFailure) -> String? {
    try await ask(
      "When a child's time is over, programs close after a warning. Is more to be done? [Enter for no, screen to lock the screen "
        + "too, log to log the child out] ",
      "Give it later with `latchkey settings set --sessions`.", again: "Answer screen, log, or nothing."
    ) { answer in
      switch answer.lowercased() {
      case "", "n", "no", "none", "nothing": .some(nil)
      case "screen", "lock", "lock the screen": .some("lock")
      case "log", "log out", "logout": .some("close")
      default: nil
      }
    }
  }

  /// Returns the name of the child whose machine it is; `nil` to say that when it is paired.
  func owner() async throws(TerminalFailure) -> DeviceName? {
    try await ask(
      "Whose machine is it? A child's name (Enter to say it when you pair): ", "Give the child's name with --child.",
      again: "Give one name of 1 to 64 bytes of UTF-8, without a comma or invisible characters."
    ) { answer in answer.isEmpty ? .some(nil) : (try? ChildName.read(answer)).map { .some($0) } }
  }

  /// Returns which of the machine's accounts are the child's, which may be none.
  func accounts(of child: DeviceName, among all: [String]) async throws(TerminalFailure) -> [String] {
    try await ask(
      "Which accounts are \(child.text)'s, separated by commas? This machine has \(all.joined(separator: ", ")) (Enter for none): ",
      "Give each account with --account.", again: "This machine has the accounts \(all.joined(separator: ", "))."
    ) { answer in
      let names = answer.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
      return names.allSatisfy(all.contains) ? names : nil
    }
  }

  /// Asks until an answer can be read; throws what to give on the command line instead.
  private func ask<Value>(
    _ question: String, _ flag: String, again: String, _ read: (String) -> Value?
  ) async throws(TerminalFailure) -> Value {
    guard mayAsk else { throw TerminalFailure(.usage, flag + " Nothing is asked without a terminal, or with --yes.") }
    for _ in 0..<Self.attempts {
      console.prompt(WrappedText.words(question, columns: console.size.columns))
      guard let line = await console.readLine() else {
        console.prompt("\n")
        break
      }
      let answer = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if let value = read(answer) { return value }
      console.note(again)
    }
    throw TerminalFailure(.usage, "Nothing was set up. \(flag)")
  }
}
