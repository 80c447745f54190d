import ArgumentParser
import LatchkeyControl
import LatchkeyModel

/// The `latchkey setup` subcommand.
struct SetupSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up Latchkey on this machine, start it, and say what comes next.",
    discussion: """
      Asks what the machine is for and what it is called, makes its state as `latchkey init` does, starts its service where the \
      package is installed, and looks at the machine with `latchkey doctor`. On a child's machine it also asks whose it is and \
      which accounts are whose, and says what a parent does with that: only a parent decides it. With the package, run it by \
      sudo on a child's machine, and as yourself on a parent's. Without a terminal, or with --yes, nothing is asked.

      Example: latchkey setup
      Example: sudo latchkey setup --role child --name "Family PC" --account emma=Emma --account ben=Ben
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("The role of this machine.", valueName: "parent|child"))
  var role: DeviceRole?

  @Option(help: "A name for this machine, up to 64 bytes of UTF-8; with --yes, its host name if it is left out.")
  var name: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A child of the family, on a child's machine one whose it is; may be given again.", valueName: "name"))
  var child: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "On a child's machine, an account and whose it is, such as emma=Emma; may be given again.",
      valueName: "login=name"))
  var account: [String] = []

  @Flag(help: "Ask nothing.")
  var yes = false

  @Flag(help: "Do not look at the machine at the end.")
  var noDoctor = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let console = environment.console
    let setup = environment.setup ?? .live(environment.variables)
    let questions = SetupQuestions(
      console: console, mayAsk: !yes && console.inputIsTerminal && console.talkIsTerminal)
    let given = try (name.map { try DeviceName($0) }, child.map { try DeviceName($0) })
    let role = if let role { role } else { try await questions.role() }
    if role == .parent, !account.isEmpty {
      throw TerminalFailure(.usage, "Accounts are those of a child's machine: leave --account out.")
    }
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
      name = try await questions.name(suggestion)
    }
    var children = given.1
    if role == .parent, children.isEmpty, questions.mayAsk { children = try await questions.children() }

    let owners = role == .child ? try await self.owners(questions, setup) : MachineOwners()

    try await place.create(name, role, owners, setup, environment)
    console.note(
      "\(ShownText.quoted(name)) is set up as a \(role.rawValue)'s machine, with its state in \(place.folder).")
    let isStarted = place.start(setup, console)
    if isStarted, !children.isEmpty {
      try await add(children, place)
    } else if !children.isEmpty {
      let commands = children.map { "`latchkey children add \"\($0.text)\"`" }.joined(separator: " and ")
      console.note("Once it runs, add your children: \(commands).")
    }
    let sudo = place.isSystems ? "sudo " : ""
    console.note(
      role == .parent
        ? "Next: run `latchkey pair` here and `latchkey setup` on the child's machine."
        : "Next: run `\(sudo)latchkey pair` here and \(OwnerNote.pairing(owners)) on a parent's machine.")
    let assignments = OwnerNote.assignments(owners, on: name.text)
    if !assignments.isEmpty {
      console.note(
        "Then, on the parent's machine, unless `latchkey pair` has said so: \(assignments.joined(separator: ", "))")
    }
    if !noDoctor { try await look(place) }
  }

  /// Returns whose the machine and its accounts are, by the options or by answers.
  private func owners(_ questions: SetupQuestions, _ setup: MachineSetup) async throws -> MachineOwners {
    var owners = try OwnerNote.read(children: child, accounts: account)
    let known = setup.accounts()
    for account in owners.claims.flatMap(\.accounts) where !known.contains(account) {
      let others = known.isEmpty ? "make it first" : "it has \(known.map(ShownText.safe).joined(separator: ", "))"
      throw TerminalFailure(.usage, "This machine has no account \(ShownText.safe(account)) of a person's: \(others).")
    }
    guard !yes else { return owners }
    if owners.claims.isEmpty { for name in try await questions.owners() { owners.add(name) } }
    for claim in owners.claims where account.isEmpty {
      let open = known.filter { login in !owners.claims.contains { $0.accounts.contains(login) } }
      guard !open.isEmpty else { break }
      for login in try await questions.accounts(of: claim.child, among: open) { _ = owners.add(login, to: claim.child) }
    }
    return owners
  }

  /// Adds children once the node answers.
  private func add(_ children: [DeviceName], _ place: SetupPlace) async throws {
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
    for child in children { _ = try await interface.addChild(ChildNameRequest(name: child.text)) }
    environment.console.note("Added: \(children.map { ShownText.quoted($0) }.joined(separator: ", ")).")
  }

  /// Shows what `latchkey doctor` finds; faults that it finds are no failure of the setup.
  private func look(_ place: SetupPlace) async throws {
    let doctor = try await DoctorSubcommand.asyncParse(["--state-dir", place.folder])
    do { try await doctor.run() } catch is ExitCode {}
  }
}
