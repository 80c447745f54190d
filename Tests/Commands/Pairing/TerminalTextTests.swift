import Testing

@testable import LatchkeyCommands

/// Text that fits, keys that become a line, and lines that change in place.
@Suite struct TerminalTextTests {
  @Test(arguments: 2...100) func noLineIsWiderThanTheTerminal(columns: Int) {
    let text = "“Emma's very long name 🎀🎀🎀” (child) wants to join; both screens show 123 456. Accept? [y/N]"
    for line in WrappedText.lines(text, columns: columns) {
      #expect(TerminalWidth.of(line) <= columns, "\(line)")
    }
    #expect(WrappedText.lines(text, columns: columns).joined().filter { $0 != " " } == text.filter { $0 != " " })
  }

  @Test func aCodeIsCutBetweenItsGroups() {
    #expect(WrappedText.groups("AAAAA-BBBBB-CC", columns: 12) == ["AAAAA-BBBBB-", "CC"])
    #expect(WrappedText.groups("AAAAA-BBBBB-CC", columns: 19) == ["AAAAA-BBBBB-CC"])
    for columns in 6...80 {
      let lines = WrappedText.groups(SamplePairing.code, columns: columns)
      #expect(lines.joined() == SamplePairing.code)
      #expect(lines.dropLast().allSatisfy { $0.hasSuffix("-") && $0.count <= columns })
    }
  }

  private func outcome(_ chunks: String...) -> LineEditor.Outcome {
    var editor = LineEditor()
    var last = LineEditor.Outcome.typing
    for chunk in chunks { last = editor.received(Array(chunk.utf8)) }
    return last
  }

  @Test func keysBecomeALine() {
    #expect(outcome("kx-7q2", "mn-4c\r") == .line("kx-7q2mn-4c"))
    #expect(outcome("kx", "\u{7F}\u{7F}\u{7F}ab\n") == .line("ab"))
    #expect(outcome("wrong\u{15}right\n") == .line("right"))
    #expect(outcome("é\u{7F}a\n") == .line("a"))
    #expect(outcome("a\u{1B}[Db\u{1B}OC\u{1B}xc\n") == .line("abc"))
    #expect(outcome("a\u{1B}", "[", "3", "~b\n") == .line("ab"))
    #expect(outcome("\u{4}") == .end)
    #expect(outcome("a\u{4}\u{1}b\n") == .line("ab"))
    #expect(outcome("first\nsecond") == .line("first"))
    #expect(outcome(String(repeating: "a", count: 9_999), "\n") == .line(String(repeating: "a", count: 4_096)))
  }

  @Test func aPanelChangesInPlaceAndKeepsWhatWasBefore() {
    let console = ScriptedConsole(size: TerminalSize(columns: 20, rows: 6))
    console.note("before")
    var panel = LivePanel(console: console)
    panel.show(["one", "two", "three"])
    panel.show(["one", "2", "three"])
    #expect(console.screen.text == "before\none\n2\nthree\n")
    panel.show(["four"])
    #expect(console.screen.text == "before\nfour\n")
    panel.show(["a", "b", "c", "d"])
    #expect(console.screen.text == "before\na\nb\nc\nd\n")
    panel.leave()
    console.note("after")
    #expect(console.screen.everything == "before\na\nb\nc\nd\nafter\n")
    #expect(console.screen.unknown.isEmpty)
  }

  @Test func aPanelIsWholeAgainAfterOthersHaveWritten() {
    let console = ScriptedConsole(size: TerminalSize(columns: 20, rows: 5))
    var panel = LivePanel(console: console)
    panel.show(["one", "two", "three"])
    for count in 1...3 {
      console.draw(String(repeating: "a log line\n", count: count))
      panel.show(["one", "two", "\(count)"])
      #expect(console.screen.text.hasSuffix("one\ntwo\n\(count)\n"))
      #expect(!console.screen.text.contains("log"))
    }
    #expect(console.screen.unknown.isEmpty)
  }

  @Test(arguments: 10...100) func sentencesAreBrokenBetweenWordsAndCodesNot(columns: Int) {
    let sentence = "latchkey: The other machine said no: run `latchkey pair` again.\nA second one, which is as long."
    let text = WrappedText.words(sentence, columns: columns)
    #expect(text.replacing("\n", with: " ") == sentence.replacing("\n", with: " "))
    for line in text.split(separator: "\n") { #expect(line.count <= columns || !line.contains(" ")) }
    #expect(WrappedText.words(SamplePairing.code, columns: columns) == SamplePairing.code)
  }

  @Test func aPanelIsDrawnAnewWhereASizeHasBrokenIt() {
    let console = ScriptedConsole(size: TerminalSize(columns: 20, rows: 6))
    console.note("before")
    var panel = LivePanel(console: console)
    panel.show(["one", "two"])
    console.screen.resize(TerminalSize(columns: 10, rows: 5))
    panel.showAnew(["x", "y"], rows: 5)
    #expect(console.screen.text == "x\ny\n")
    #expect(console.screen.everything.hasPrefix("before\none\ntwo\n"))
    panel.show(["x", "z"])
    #expect(console.screen.text == "x\nz\n")
  }

  @Test func aPromptStaysBehindWhatChangesAboveIt() {
    let console = ScriptedConsole(size: TerminalSize(columns: 10, rows: 6))
    var panel = PromptPanel(console: console)
    panel.show(["nothing"], prompt: "> ", typed: "abcdefgh")
    panel.show(["some", "thing"], prompt: "> ", typed: "abcdefghij")
    #expect(console.screen.text == "some\nthing\n> abcdefgh\nij\n")
    panel.show(["thing"], prompt: "> ", typed: "a\u{7}b")
    #expect(console.screen.text == "thing\n> a\u{FFFD}b\n")
    panel.leave()
    console.note("after")
    #expect(console.screen.everything == "thing\n> a\u{FFFD}b\nafter\n")
    #expect(console.screen.unknown.isEmpty)
  }
}
