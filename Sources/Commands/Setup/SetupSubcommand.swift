import ArgumentParser
import LatchkeyControl
import LatchkeyModel

/// The `latchkey setup` subcommand.
struct SetupSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up Latchkey on this machine, start it, and say what comes next.",
    discussion: """
      Asks whose machine this is and what it is called, makes its state as `latchkey init` does, starts its service where the \
      package is installed, and looks at the machine with `latchkey doctor`. On a child's machine with the package, run it by \
      sudo; on a parent's as yourself. Without a terminal, or with --yes, nothing is asked.

      Example: latchkey setup
      Example: sudo latchkey setup --role child --name "Emma's PC" --yes
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("The role of this machine.", valueName: "parent|child"))
  var role: DeviceRole?

  @Option(help: "A name for this machine, up to 64 bytes of UTF-8; with --yes, its host name if it is left out.")
  var name: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("On a parent's machine, a child of the family; may be given again.", valueName: "name"))
  var child: [String] = []

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
    if role == .child, !child.isEmpty {
      throw TerminalFailure(.usage, "Children are added on a parent's machine: leave --child out.")
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

    try await place.create(name, role, setup, environment)
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
        : "Next: run `\(sudo)latchkey pair` here and `latchkey pair` on a parent's machine.")
    if !noDoctor { try await look(place) }
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
