import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The line of a status bar, on a child's machine and on a parent's.
@Suite struct WidgetTests {
  private static func script(_ change: (inout ScriptedNode.Script) -> Void = { _ in }) -> ScriptedNode.Script {
    var script = ScriptedNode.Script()
    change(&script)
    return script
  }

  /// A parent's machine, which has no day of its own.
  private static func parents(_ change: (inout ScriptedNode.Script) -> Void = { _ in }) -> ScriptedNode.Script {
    script {
      $0.ownTodayError = LocalAPIError(.wrongRole, "This is a parent's machine: run `latchkey today` here.")
      ($0.conditions, $0.status.warnings, $0.requests) = ([], [], [])
      change(&$0)
    }
  }

  private static func day(_ rule: String?, left minutes: Int64?, isAllowed: Bool = true) -> ChildToday {
    var day = SampleValues.today
    day.screen = VerdictToday(
      isAllowed: isAllowed, rule: rule, reason: rule.map { Phrase(verbatim: $0) },
      until: minutes.map { SampleValues.now + $0 * 60_000 },
      leftMilliseconds: minutes.map { $0 * 60_000 })
    return day
  }

  @Test("What is left of a child's day, and why there is none, is said in few words")
  func words() {
    func expect(_ day: ChildToday, _ text: String, _ mood: WidgetLine.Mood, urgent: Bool = false) {
      let line = WidgetLine(day)
      #expect(line.text == text && line.mood == mood && line.isUrgent == urgent, "\(line)")
    }
    let until = TodayText.clock(SampleValues.now + 600 * 60_000, SampleValues.today)
    expect(Self.day(nil, left: nil), "no limit", .free)
    expect(Self.day("dailyLimit", left: 48), "48 min", .left)
    expect(Self.day("bedtime", left: 90), "1 h 30 min to bedtime", .left)
    expect(Self.day("breaks", left: 15), "15 min to a break", .low)
    expect(Self.day("weeklyLimit", left: 5), "5 min", .low, urgent: true)
    expect(Self.day("dailyLimit", left: 0), "less than 1 min", .low, urgent: true)
    expect(Self.day("bedtime", left: 600, isAllowed: false), "bedtime until \(until)", .over)
    expect(Self.day("lock", left: nil, isAllowed: false), "locked", .over)
    expect(Self.day("breaks", left: 600, isAllowed: false), "break until \(until)", .over)
    expect(Self.day("dailyLimit", left: nil, isAllowed: false), "time is up", .over)
    var unlimited = Self.day("bedtime", left: 90)
    #expect(WidgetLine(unlimited).percentage == 40)
    unlimited.limitMilliseconds = nil
    #expect(WidgetLine(unlimited).percentage == nil)
    #expect(WidgetLine(Self.day("lock", left: nil, isAllowed: false)).percentage == 0)
  }

  @Test("Each bar gets the form that it reads")
  func formats() async throws {
    let plain = await ScriptedRun("widget")
    #expect(plain.console.output == "48 min\n" && plain.status == 0 && plain.console.notes.isEmpty)
    let tmux = await ScriptedRun("widget", "--format", "tmux")
    #expect(tmux.console.output == "48 min\n" && tmux.status == 0)
    let blocks = await ScriptedRun("widget", "--format", "i3blocks")
    #expect(blocks.console.output == "48 min\n48 min\n" && blocks.status == 0)
    let waybar = await ScriptedRun("widget", "--format", "waybar")
    let json = try LocalJSON.decode(JSONValue.self, from: Array(waybar.console.output.utf8))
    guard case .object(let members) = json else { return #expect(Bool(false), "\(json)") }
    #expect(members["text"] == "48 min" && members["alt"] == "left" && members["class"] == ["left"])
    #expect(members["percentage"] == 40 && waybar.console.output.count { $0 == "\n" } == 1)
    let low = Self.script { $0.today = Self.day("dailyLimit", left: 3) }
    let urgent = await ScriptedRun("widget", "--format", "i3blocks", script: low)
    #expect(urgent.console.output == "3 min\n3 min\n#e5a50a\n" && urgent.status == 33 && urgent.console.notes.isEmpty)
    let colored = await ScriptedRun("widget", "--format", "tmux", script: low)
    #expect(colored.console.output == "#[fg=#e5a50a]3 min#[default]\n" && colored.status == 0)
    let uncolored = await ScriptedRun(["widget", "--format", "tmux"], node: ScriptedNode(low)) {
      $0.variables["NO_COLOR"] = "1"
    }
    #expect(uncolored.console.output == "3 min\n")
  }

  @Test("Names have no meaning to a bar")
  func markup() throws {
    let line = WidgetLine("<b>&#[fg=red]#(id)", .well, details: ["<i>", "a & b"])
    #expect(
      try WidgetFormat.waybar.text(line, mayColor: true)
        == #"{"alt":"well","class":["well"],"text":"&lt;b&gt;&amp;#[fg=red]#(id)","tooltip":"&lt;i&gt;\na &amp; b"}"#
        + "\n")
    #expect(try WidgetFormat.tmux.text(line, mayColor: true) == "<b>&##[fg=red]##(id)\n")
    let long = WidgetLine("x", .well, details: Array(repeating: String(repeating: "y", count: 500), count: 40))
    #expect(long.details.count == 12 && long.details.allSatisfy { $0.count == 300 })
  }

  @Test("Without an answer the line says so, shows no number, and every bar goes on")
  func away() async {
    let stopping = LocalAPIError(.timeout, "The node is stopping: try again once `latchkey run` is running again.")
    for format in WidgetFormat.allCases {
      let run = await ScriptedRun(
        "widget", "--format", "\(format)", script: Self.script { $0.error = stopping })
      #expect(run.status == 0 && run.console.output.contains("Latchkey is off"), "\(run.console.output)")
      #expect(run.console.notes == (format == .plain ? ["latchkey: \(stopping.message)"] : []))
    }
    let unreached = await ScriptedRun(["widget"]) {
      $0.openNode = { throw NodeUnavailable(.notRunning, stateFolder: $0) }
    }
    #expect(unreached.console.output == "Latchkey is off\n" && unreached.status == 0)
    let nobodys = LocalAPIError(.unknownChild, "This account is no child's: run `latchkey accounts assign`.")
    let shared = Self.script { ($0.ownTodayError, $0.children) = (nobodys, [SampleValues.child, SampleValues.child]) }
    #expect(await ScriptedRun("widget", script: shared).console.output == "no child here\n")
    // Of an account that is shared, the strictest rules hold until somebody is named.
    let unnamed = Self.script {
      ($0.ownTodayError, $0.children) = (nobodys, [SampleValues.child, SampleValues.child])
      $0.shared.unnamed = UnnamedToday(
        sentence: "Emma and Ben share this account.", screen: Self.day("bedtime", left: 20).screen,
        at: SampleValues.now, zone: "Europe/Berlin")
    }
    let who = await ScriptedRun("widget", "--format", "waybar", script: unnamed).console.output
    #expect(who.contains("\"who is here? 20 min to bedtime\"") && !who.contains("Ben"), "\(who)")
    // Who keeps a machine of one child sees that child's day.
    #expect(
      await ScriptedRun("widget", script: Self.script { $0.ownTodayError = nobodys }).console.output == "48 min\n")
  }

  @Test("On a parent's machine the line has open requests, what is left for each child, and warnings")
  func parent() async {
    func line(_ change: (inout ScriptedNode.Script) -> Void = { _ in }) async -> String {
      await ScriptedRun("widget", script: Self.parents(change)).console.output
    }
    #expect(await line() == "Emma 48 min\n")
    #expect(await line { $0.requests = SampleValues.requests } == "1 request · Emma 48 min\n")
    #expect(await line { $0.status.peers[0].isConnected = false } == "Emma off\n")
    #expect(await line { $0.status.warnings = ["a", "b"] } == "Emma 48 min · 2 warnings\n")
    #expect(await line { $0.children = [] } == "Latchkey\n")
    #expect(
      await line { $0.children = Array(repeating: SampleValues.child, count: 6) }
        == Array(repeating: "Emma 48 min", count: 4).joined(separator: " · ") + " · +2\n")
    let weakened = ConditionListing(
      deviceID: SampleValues.childID, deviceName: SampleValues.childName, isOwn: false,
      condition: MachineCondition("rule-bad-matcher", detail: "net.kart.kart"),
      app: ConditionKind.AppWords(name: "Super Kart", argument: "Super Kart"))
    let warned = await ScriptedRun(
      ["widget", "--format", "waybar"], node: ScriptedNode(Self.parents { $0.conditions = [weakened] })
    ).console.output
    #expect(warned.contains("The rules of “Super Kart” cannot recognize") && !warned.contains("net.kart"), "\(warned)")
    #expect(warned.contains("What to do is shown by `latchkey status`."), "\(warned)")
    let status = await ScriptedRun(["status"], node: ScriptedNode(Self.parents { $0.conditions = [weakened] }))
    #expect(status.console.output.contains("Warning: The rules of “Super Kart” cannot recognize"), "\(status.console)")
    let asked = await ScriptedRun(
      "widget", "--format", "i3blocks", script: Self.parents { $0.requests = SampleValues.requests })
    #expect(asked.status == WidgetFormat.urgentStatus)
    let details = await ScriptedRun(
      "widget", "--format", "waybar", script: Self.parents { $0.requests = SampleValues.requests })
    #expect(details.console.output.contains("Emma asks for 30 min.\\nEmma 1 h 12 min of 2 h"))
  }

  @Test("Followed, there is a line for each change, also while the node is away and when it is back")
  func follow() async throws {
    let (node, console) = (ScriptedNode(), ScriptedConsole())
    let run = Task {
      await ScriptedRun(["widget", "--follow"], node: node, console: console) {
        // The bar is brought up to date every ten seconds, and here without a wait.
        $0.pause = { _ in
          try Task.checkCancellation()
          await Task.yield()
        }
      }
    }
    defer { run.cancel() }
    var writes = console.writes.makeAsyncIterator()
    func shows(_ output: String) async throws {
      while console.output.count < output.count, await writes.next() != nil {}
      #expect(console.output == output)
    }
    try await shows("48 min\n")
    node.script.withLock { $0.today = Self.day("dailyLimit", left: 47) }
    try await shows("48 min\n47 min\n")
    node.script.withLock { $0.error = LocalAPIError(.timeout, "The node is stopping: try again.") }
    try await shows("48 min\n47 min\nLatchkey is off\n")
    node.script.withLock { $0.error = nil }
    try await shows("48 min\n47 min\nLatchkey is off\n47 min\n")
  }

  @Test("A bar that runs the command again by itself is not followed", arguments: [WidgetFormat.i3blocks, .tmux])
  func notFollowed(format: WidgetFormat) async {
    let run = await ScriptedRun("widget", "--follow", "--format", "\(format)")
    #expect(run.status == 64 && run.console.notes.joined().contains("waybar and plain"))
  }
}
