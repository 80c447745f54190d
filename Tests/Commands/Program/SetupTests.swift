import LatchkeyModel
import Synchronization
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of `latchkey setup`, which touch no real machine.
@Suite struct SetupTests {
  /// What was done to the machine.
  private final class Deeds: Sendable {
    let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ deed: String) { list.withLock { $0.append(deed) } }
  }

  private func run(
    _ arguments: String..., lines: [String] = [], isTerminal: Bool = true, isRoot: Bool = false, packaged: Bool = false,
    isUsed: Bool = false, fault: String? = nil
  ) async -> (run: ScriptedRun, deeds: [String]) {
    let deeds = Deeds()
    let console = ScriptedConsole(lines: lines, isTerminal: isTerminal)
    let run = await ScriptedRun(["setup", "--no-doctor"] + arguments, console: console) { environment in
      environment.setup = MachineSetup(
        hostName: { "box" }, accounts: { ["emma", "tom"] }, isRoot: isRoot, hasService: { _ in packaged },
        holdsNode: { _ in isUsed },
        run: { name, words in
          deeds.add(([name] + words).joined(separator: " "))
          return fault
        })
      environment.initialise = { folder, role, name, accounts in
        let word = accounts.map { " \($0.child): \($0.accounts.joined(separator: " "))" } ?? ""
        deeds.add("init \(folder) \(role.rawValue) \(name)\(word)")
        return SampleValues.childID
      }
    }
    return (run, deeds.all)
  }

  @Test("A person is asked whose machine it is, for its name and for the children's, again until it can be read")
  func asked() async {
    let lines = ["what", "p", "", " Emma ,Tom", "screen"]
    let (run, deeds) = await run(lines: lines)
    #expect(run.status == 0, "\(run.console.everything)")
    #expect(deeds == ["init /home/test/.local/state/latchkey parent box"])
    #expect(run.console.prompts.count == 5 && run.console.notes.contains("Answer parent or child."))
    let notes = run.console.notes.joined(separator: "\n")
    #expect(notes.contains("latchkey run") && notes.contains("latchkey pair"), "\(notes)")
    #expect(notes.contains("`latchkey children add \"Emma\"` and `latchkey children add \"Tom\"`"), "\(notes)")
    #expect(notes.contains("`latchkey settings set --sessions lock`"), "\(notes)")
  }

  @Test("Where a node is already, nothing is asked and nothing is done")
  func used() async {
    let (run, deeds) = await run("--role", "child", lines: ["PC", "Emma", "emma"], isUsed: true)
    #expect(run.status == ExitStatus.cannotCreate.rawValue && run.console.prompts.isEmpty, "\(run.console.everything)")
    #expect(run.console.notes.contains { $0.contains("set up already") }, "\(run.console.everything)")
    #expect(deeds.isEmpty)
  }

  @Test("Flags answer every question, with --yes the host name is taken, and nothing is asked")
  func flags() async {
    let (all, deeds) = await run("--role", "child", "--name", "Emma's PC", "--child", "Emma", "--account", "emma")
    #expect(all.status == 0 && all.console.prompts.isEmpty)
    #expect(all.console.notes.contains { $0.contains("where you answer “Emma”") }, "\(all.console.notes)")
    let notes = all.console.notes.joined(separator: " ")
    #expect(
      notes.contains("The account emma becomes Emma's when a parent says that this machine is Emma's."), "\(notes)")
    #expect(deeds == ["init /home/test/.local/state/latchkey child Emma's PC Emma: emma"])
    let (yes, more) = await run("--role", "parent", "--yes")
    #expect(yes.status == 0 && yes.console.prompts.isEmpty && more.last?.hasSuffix("parent box") == true, "\(more)")
  }

  @Test(
    "On a child's machine, a person is asked whose it is and which accounts are the child's, again until these exist")
  func whose() async {
    let (run, deeds) = await run(
      "--role", "child", "--name", "PC", lines: ["Emma, Tom", "Emma", "ema", "emma, tom,emma"])
    #expect(run.status == 0 && run.console.prompts.count == 4, "\(run.console.everything)")
    #expect(deeds == ["init /home/test/.local/state/latchkey child PC Emma: emma tom"])
    #expect(run.console.notes.contains("This machine has the accounts emma, tom."))
    let notes = run.console.notes.joined(separator: "\n")
    #expect(notes.contains("answer “Emma” when it asks whose machine this is"), "\(notes)")
    #expect(notes.contains("The accounts emma and tom become Emma's"), "\(notes)")
    let (later, none) = await self.run("--role", "child", "--name", "PC", lines: [""])
    #expect(later.status == 0 && later.console.prompts.count == 1)
    #expect(!later.console.everything.contains("account"), "\(later.console.everything)")
    #expect(none == ["init /home/test/.local/state/latchkey child PC"])
  }

  @Test(
    "What does not fit the role or the machine is refused with what to do",
    arguments: [
      (["--role", "child", "--child", "Emma", "--account", "ben"], "it has emma, tom"),
      (["--role", "child", "--account", "emma"], "--child"),
      (["--role", "child", "--child", "Emma", "--child", "Tom"], "once"),
      (["--role", "parent", "--account", "emma"], "leave --account out"),
      (["--role", "child", "--child", "Emma, Tom", "--account", "emma"], "no comma"),
      (["--role", "parent", "--child", "Emma, Tom"], "no comma"),
    ])
  func unfitting(arguments: [String], words: String) async {
    let deeds = Deeds()
    let run = await ScriptedRun(["setup", "--name", "x", "--yes"] + arguments, console: ScriptedConsole(lines: [])) {
      environment in
      environment.setup = MachineSetup(
        hostName: { "box" }, accounts: { ["emma", "tom"] }, isRoot: false, hasService: { _ in false },
        holdsNode: { _ in false }, run: { _, _ in nil })
      environment.initialise = { _, _, _, _ in
        deeds.add("init")
        return SampleValues.childID
      }
    }
    #expect(run.status == 64 && run.console.everything.contains(words), "\(run.console.everything)")
    #expect(deeds.all.isEmpty)
  }

  @Test(
    "Without a terminal, or with --yes, what is missing is named",
    arguments: [([], "--role"), (["--role", "child"], "--name"), (["--yes"], "--role")])
  func missing(arguments: [String], flag: String) async {
    let deeds = Deeds()
    let run = await ScriptedRun(
      ["setup"] + arguments, console: ScriptedConsole(lines: ["p", "x"], isTerminal: false)
    ) { environment in
      environment.setup = MachineSetup(
        hostName: { nil }, accounts: { [] }, isRoot: false, hasService: { _ in false }, holdsNode: { _ in false },
        run: { _, _ in nil })
      environment.initialise = { _, _, _, _ in
        deeds.add("init")
        return SampleValues.childID
      }
    }
    #expect(run.status == 64 && run.console.everything.contains(flag), "\(run.console.everything)")
    #expect(deeds.all.isEmpty && run.console.prompts.isEmpty)
  }

  @Test("With the package, a child's machine has the machine's service, and a parent's that of the account")
  func packaged() async {
    let (child, deeds) = await run("--role", "child", "--name", "Emma's PC", "--yes", isRoot: true, packaged: true)
    #expect(child.status == 0)
    #expect(
      deeds == [
        "runuser -u _latchkey -- /usr/bin/latchkey init --state-dir /var/lib/latchkey --role child --name Emma's PC",
        "systemctl enable --now latchkey-agent latchkey",
      ])
    #expect(child.console.notes.contains { $0.contains("`sudo latchkey pair`") })
    let (_, told) = await run(
      "--role", "child", "--name", "PC", "--child", "Emma M", "--account", "emma", "--account", "tom", "--yes",
      isRoot: true, packaged: true)
    #expect(told.first?.hasSuffix("--name PC --child Emma M --account emma --account tom") == true, "\(told)")
    let (parent, starts) = await run(
      "--role", "parent", "--name", "Kitchen", "--child", "Emma", lines: ["perhaps", "log"], packaged: true)
    #expect(parent.status == 0 && starts.last == "systemctl --user enable --now latchkey", "\(starts)")
    #expect(parent.node.calls.contains(.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))))
    #expect(
      parent.node.edits.contains(.init(child: nil, request: RuleRequest([.init("sessions", "close")]))),
      "\(parent.console.everything)")

    for (role, isRoot) in [("child", false), ("parent", true)] {
      let (wrong, none) = await run("--role", role, "--name", "x", isRoot: isRoot, packaged: true)
      #expect(wrong.status == 77 && none.isEmpty && wrong.console.everything.contains("latchkey setup --role \(role)"))
    }
    let (failed, tried) = await run(
      "--role", "child", "--name", "x", "--yes", isRoot: true, packaged: true, fault: "no such user.")
    #expect(failed.status == 73 && tried.count == 1 && failed.console.everything.contains("no such user. See"))
    let (off, _) = await run("--role", "parent", "--name", "x", "--yes", packaged: true, fault: "no bus")
    #expect(off.status == 0 && off.console.everything.contains("could not be started (no bus): run `systemctl --user"))
  }

  @Test func endsWithTheDoctor() async {
    let run = await ScriptedRun(["setup", "--role", "parent", "--name", "Kitchen", "--yes"]) { environment in
      environment.setup = MachineSetup(
        hostName: { nil }, accounts: { [] }, isRoot: false, hasService: { _ in false }, holdsNode: { _ in false },
        run: { _, _ in nil })
    }
    #expect(run.status == 0 && !run.console.output.isEmpty, "\(run.console.everything)")
  }
}
