import LatchkeyModel
import Synchronization
import Testing

@testable import LatchkeyCommands

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
    fault: String? = nil
  ) async -> (run: ScriptedRun, deeds: [String]) {
    let deeds = Deeds()
    let console = ScriptedConsole(lines: lines, isTerminal: isTerminal)
    let run = await ScriptedRun(["setup", "--no-doctor"] + arguments, console: console) { environment in
      environment.setup = MachineSetup(
        hostName: { "box" }, isRoot: isRoot, hasService: { _ in packaged }, accounts: { ["emma", "tom", "guest"] },
        run: { name, words in
          deeds.add(([name] + words).joined(separator: " "))
          return fault
        })
      environment.initialise = { folder, role, name, owners in
        let claims = owners.claims.map { " \($0.child): \($0.accounts.joined(separator: "+"));" }.joined()
        deeds.add("init \(folder) \(role.rawValue) \(name)\(claims)")
        return SampleValues.childID
      }
    }
    return (run, deeds.all)
  }

  @Test("A person is asked whose machine it is, for its name and for the children's, again until it can be read")
  func asked() async {
    let lines = ["what", "p", "", " Emma ,Tom"]
    let (run, deeds) = await run(lines: lines)
    #expect(run.status == 0, "\(run.console.everything)")
    #expect(deeds == ["init /home/test/.local/state/latchkey parent box"])
    #expect(run.console.prompts.count == 4 && run.console.notes.contains("Answer parent or child."))
    let notes = run.console.notes.joined(separator: "\n")
    #expect(notes.contains("latchkey run") && notes.contains("latchkey pair"), "\(notes)")
    #expect(notes.contains("`latchkey children add \"Emma\"` and `latchkey children add \"Tom\"`"), "\(notes)")
  }

  @Test("Flags answer every question, with --yes the host name is taken, and nothing is asked")
  func flags() async {
    let (all, deeds) = await run("--role", "child", "--name", "Emma's PC", "--child", "Emma", "--account", "emma")
    #expect(all.status == 0 && all.console.prompts.isEmpty, "\(all.console.everything)")
    #expect(deeds == ["init /home/test/.local/state/latchkey child Emma's PC Emma: emma;"])
    let (yes, more) = await run("--role", "parent", "--yes")
    #expect(yes.status == 0 && yes.console.prompts.isEmpty && more.last?.hasSuffix("parent box") == true, "\(more)")
  }

  @Test(
    "On a child's machine, a person is asked whose it is and which accounts are whose, and is told a parent's commands")
  func owners() async {
    let (run, deeds) = await run(
      "--role", "child", "--name", "Family PC", lines: ["Emma, Tom", "mum", "emma", "tom,guest"])
    #expect(run.status == 0, "\(run.console.everything)")
    #expect(deeds == ["init /home/test/.local/state/latchkey child Family PC Emma: emma; Tom: tom+guest;"])
    #expect(run.console.prompts.count == 4 && run.console.notes.contains("Give accounts of the list."))
    #expect(run.console.prompts.last?.contains("Which accounts here are Tom's? (tom, guest,") == true)
    let notes = run.console.notes.joined(separator: "\n")
    #expect(notes.contains("`latchkey pair --for \"Emma, Tom\"`"), "\(notes)")
    #expect(notes.contains("`latchkey accounts assign guest --on \"Family PC\" --child Tom`"), "\(notes)")

    let (left, made) = await self.run("--role", "child", "--name", "x", lines: [""])
    #expect(left.status == 0 && made == ["init /home/test/.local/state/latchkey child x"])
    #expect(left.console.prompts.count == 1 && left.console.everything.contains("`latchkey pair` on a parent's"))
  }

  @Test("The service's own user keeps what was said, and wrong options are refused before anything is made")
  func ownersByFlags() async {
    let (_, deeds) = await run(
      "--role", "child", "--name", "x", "--account", "emma=Emma", "--account", "tom=Tom", isRoot: true, packaged: true)
    #expect(deeds.first?.hasSuffix("--name x --child Emma --account emma=Emma --child Tom --account tom=Tom") == true)
    for (arguments, words) in [
      (["--role", "child", "--account", "eve=Emma"], "it has emma, tom, guest"),
      (["--role", "child", "--account", "emma"], "--account emma=CHILD"),
      (["--role", "child", "--account", "emma=Emma", "--account", "emma=Tom"], "two children"),
      (["--role", "parent", "--account", "emma=Emma"], "leave --account out"),
    ] {
      let run = await ScriptedRun(["setup", "--name", "x", "--yes"] + arguments) { environment in
        environment.setup = MachineSetup(
          hostName: { nil }, isRoot: false, hasService: { _ in false }, accounts: { ["emma", "tom", "guest"] },
          run: { _, _ in nil })
        environment.initialise = { _, _, _, _ in
          Issue.record("nothing may be made")
          return SampleValues.childID
        }
      }
      #expect(run.status == 64 && run.console.everything.contains(words), "\(run.console.everything)")
    }
  }

  @Test("Of a name in which a shell may find something to expand, the command has a placeholder")
  func trap() async {
    let (run, _) = await run("--role", "child", "--name", "$(id)", "--account", "emma=E$(id)")
    let notes = run.console.notes.joined(separator: "\n")
    #expect(notes.contains("`latchkey accounts assign emma --on MACHINE --child CHILD`"), "\(notes)")
    #expect(notes.contains("and `latchkey pair` on a parent's machine"), "\(notes)")
  }

  @Test(
    "Without a terminal, or with --yes, what is missing is named",
    arguments: [
      ([], "--role"), (["--role", "child"], "--name"), (["--yes"], "--role"),
      (["--role", "child", "--name", "x"], "--child"),
      (["--role", "child", "--name", "x", "--child", "Emma"], "--account"),
    ])
  func missing(arguments: [String], flag: String) async {
    let deeds = Deeds()
    let run = await ScriptedRun(
      ["setup"] + arguments, console: ScriptedConsole(lines: ["p", "x"], isTerminal: false)
    ) { environment in
      environment.setup = MachineSetup(
        hostName: { nil }, isRoot: false, hasService: { _ in false }, accounts: { ["emma"] }, run: { _, _ in nil })
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
    let (parent, starts) = await run("--role", "parent", "--name", "Kitchen", "--child", "Emma", packaged: true)
    #expect(parent.status == 0 && starts.last == "systemctl --user enable --now latchkey", "\(starts)")
    #expect(parent.node.calls.contains(.addChild(ChildNameRequest(name: "Emma"))))

    for (role, isRoot) in [("child", false), ("parent", true)] {
      let (wrong, none) = await run("--role", role, "--name", "x", "--yes", isRoot: isRoot, packaged: true)
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
        hostName: { nil }, isRoot: false, hasService: { _ in false }, accounts: { [] }, run: { _, _ in nil })
    }
    #expect(run.status == 0 && !run.console.output.isEmpty, "\(run.console.everything)")
  }
}
