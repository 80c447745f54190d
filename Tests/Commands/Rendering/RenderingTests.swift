import Foundation
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Text of others, in tables, CSV and JSON.
@Suite struct RenderingTests {
  @Test(arguments: [
    ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("", ""), ("Ä 🦉", "Ä 🦉"),
    ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1+2", "'-1+2"), ("@SUM(A1)", "'@SUM(A1)"), ("＝1", "'＝1"), (" =1", "' =1"),
    ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
    ("\t=1", "'\u{FFFD}=1"), ("\r\n=1", "'\u{FFFD}\u{FFFD}=1"), ("-12", "-12"), ("-12.5", "-12.5"), ("-", "'-"),
    ("a\u{1B}[2J", "a\u{FFFD}[2J"), ("two\nlines", "two\u{FFFD}lines"),
  ])
  func aFieldOfCSVIsNeverAFormula(text: String, field: String) {
    #expect(CSVText.field(text) == field)
  }

  @Test func rowsOfCSVEndWithBothCharacters() {
    #expect(CSVText.render(["a", "b"], rows: [["1", "x,y"], ["", "-2"]]) == "a,b\r\n1,\"x,y\"\r\n,-2\r\n")
  }

  /// Characters that move a cursor, end a line, hide, or turn the direction of reading.
  private static let hostile =
    "a\u{1B}[31mb\u{7}c\nd\re\u{9B}2Jf\u{202E}g\u{2028}h\u{200B}i\u{7F}j\u{85}k\u{E0001}l\u{F8FF}m"
  private static let safe =
    "a\u{FFFD}[31mb\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}2Jf\u{FFFD}g\u{FFFD}h\u{FFFD}i\u{FFFD}j\u{FFFD}k\u{FFFD}l\u{FFFD}m"

  @Test(arguments: [
    ["apps", "list"], ["usage", "list"], ["status"], ["devices", "list"], ["commands", "list"], ["nearby"], ["doctor"],
    ["devices", "show", "Emma's PC"],
  ])
  func noTableIsWiderThanTheTerminal(arguments: [String]) async {
    let wide = await ScriptedRun(arguments, console: ScriptedConsole())
    for columns in [20, 40, 60, 80, 100, 200] {
      let console = ScriptedConsole(outputIsTerminal: true, size: TerminalSize(columns: columns, rows: 24))
      let run = await ScriptedRun(arguments, console: console) { $0.variables["NO_COLOR"] = "1" }
      #expect(run.status == wide.status)
      // A value that has no spaces may be longer than a row of the terminal.
      for line in run.console.output.split(separator: "\n") where columns >= 80 {
        #expect(line.count <= columns, "\(columns): \(line)")
      }
      if columns == 200 { #expect(run.console.output == wide.console.output) }
    }
  }

  @Test func aNarrowTerminalIsSparedColumnsAndThenGetsParagraphs() async {
    func table(_ columns: Int) -> String {
      var environment = ScriptedRun.environment(
        node: ScriptedNode(),
        console: ScriptedConsole(outputIsTerminal: true, size: TerminalSize(columns: columns, rows: 24)))
      environment.variables["NO_COLOR"] = "1"
      return TerminalEnvironment.$current.withValue(environment) {
        TableText.render(
          ["Machine", "Colour", "Points"], numbers: [2], spare: [1],
          rows: [["Emma's PC", "a very long word", "2"], ["Ben's", "blue", "13"]], empty: "none")
      }
    }
    #expect(table(80).contains("a very long word") && !table(80).contains("Too narrow"))
    let spared = table(30)
    #expect(!spared.contains("blue") && spared.contains("Emma's PC") && spared.contains("    13"))
    #expect(spared.replacing("\n", with: " ").contains("(Too narrow here for “Colour”; a wider window"))
    #expect(
      table(12) == """
        Machine  Emma's PC
        Colour   a very long
                 word
        Points   2

        Machine  Ben's
        Colour   blue
        Points   13

        """)
  }

  @Test func textOfOthersCannotSteerATerminal() {
    #expect(ShownText.safe(Self.hostile) == Self.safe)
    #expect(ShownText.safe("Ä, 漢 – “x” 🦉 é") == "Ä, 漢 – “x” 🦉 é")
    let table = TableText.render(["Name"], rows: [[Self.hostile]], empty: "none")
    #expect(table.split(separator: "\n").last == Self.safe[...])
  }

  @Test func jsonKeepsTheValueAndEscapesWhatWouldSteerATerminal() throws {
    let text = try JSONText.line([Self.hostile])
    #expect(text.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
    #expect(text.contains("\\u009b") && text.contains("\\u202e") && text.contains("\\udb40\\udc01"))
    #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == [Self.hostile])
    #expect(try JSONText.line(["b/c", "Ä🦉"]) == "[\"b/c\",\"Ä🦉\"]\n")
    #expect(try JSONText.pretty(["b": 1, "a": 2]) == "{\n  \"a\" : 2,\n  \"b\" : 1\n}\n")
  }

  @Test func aTableWithoutRowsSaysSo() {
    #expect(TableText.render(["A"], rows: [], empty: "Nothing here.") == "Nothing here.\n")
  }

  @Test(
    arguments: [
      (-5, "just now"), (999, "just now"), (1_000, "1 s ago"), (59_999, "59 s ago"), (60_000, "1 min ago"),
      (3_600_000, "1 h ago"), (86_400_000, "1 day ago"), (172_800_000, "2 days ago"),
    ] as [(Int64, String)])
  func anAgeIsInItsGreatestUnit(age: Int64, text: String) {
    #expect(ShownText.ago(5_000_000 - age, now: 5_000_000) == text)
  }

  @Test(
    arguments: [
      (0, "0 s"), (1_499, "1 s"), (1_990, "2 s"), (59_499, "59 s"), (60_000, "1 min 00 s"), (3_599_499, "59 min 59 s"),
      (3_600_000, "1 h 00 min"),
      (90_000_000, "25 h 00 min"), (-1, "0 s"),
    ] as [(Int64, String)])
  func aTimeOfUseHasTwoUnits(milliseconds: Int64, text: String) {
    #expect(ShownText.duration(milliseconds) == text)
  }

  @Test func everyPageOfAHostileNodeIsSafe() async {
    var script = ScriptedNode.Script()
    let text = Self.hostile
    script.status.discovery = text
    script.status.warnings = [text]
    script.status.messages[0].text = text
    script.status.sync = .error(reason: text, nextTryInMilliseconds: 5_000)
    script.status.peers[0].lastError = text
    script.status.peers[0].sync = .error(reason: text + "!", nextTryInMilliseconds: 5_000)
    script.status.peers[0].address = text
    script.status.peers[0].addresses[0].address = text
    script.status.peers[0].addresses[1].failure = text
    script.machines.discovery = text
    script.machines.invitations = [text]
    script.machines.members[0].addresses = [text]
    script.status.peers[0].device.childName = text
    script.devices = script.status.peers
    script.installed = [SampleValues.installed]
    script.installed[0].apps[0].displayName = text
    script.installed[0].apps[0].version = text
    script.apps[0].displayName = text
    script.apps[0].rules[0].notInForce = text
    script.settings.rules[0].notInForce = text
    script.pages[0].sessions[0].record.displayName = text
    script.pages[0].sessions[0].record.zone = text
    script.command.payload = .message(text)
    (script.command.status, script.command.reason) = (.failed, text)
    script.commandEnds = [.success(script.command)]
    (script.pairing.digits, script.pairing.phase) = (text, .asking)
    (script.answered.phase, script.answered.outcome, script.answered.sentence) = (.ended, .refused, text)
    for arguments in [
      ["status"], ["status", "--format", "json"], ["status", "--follow"], ["devices", "list"],
      ["devices", "show", "Emma's PC"], ["devices", "show", "Emma's PC", "--format", "json"], ["apps", "list"],
      ["apps", "scan"], ["app", "set", "a", "--reset"],
      ["usage", "list"], ["usage", "list", "--format", "csv"], ["usage", "list", "--format", "json"],
      ["report"], ["report", "--format", "csv"], ["commands", "list"], ["nearby"], ["doctor"],
      ["commands", "show", "01ab"],
      ["commands", "wait", "01ab"], ["commands", "cancel", "01ab"], ["devices", "show", text], ["settings", "show"],
      ["pair", "invite"], ["pair", "list"],
    ] {
      let run = await ScriptedRun(
        arguments, node: ScriptedNode(script), console: ScriptedConsole(lines: ["n"], waitsForInput: true))
      let shown = run.console.output + run.console.notes.joined() + run.console.prompts.joined()
      let unsafe = shown.unicodeScalars.filter { scalar in
        scalar != "\n" && !(scalar == "\r" && arguments.contains("csv"))
          && PrintableText.of(String(scalar)) == "\u{FFFD}"
          && scalar != "\u{FFFD}"
      }
      #expect(unsafe.isEmpty, "\(arguments)")
      #expect(!shown.contains("c\nd"), "\(arguments)")
      #expect(!shown.isEmpty, "\(arguments)")
    }
  }
}
