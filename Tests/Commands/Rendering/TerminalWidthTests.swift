import Foundation
import Testing

@testable import LatchkeyCommands

/// The columns of what people write, and tables and wrapped texts made with them.
@Suite struct TerminalWidthTests {
  @Test(arguments: [
    ("", 0), ("Emma's PC", 9), ("Müller – “x” …", 14), ("Zoes Rechner 🦖🦖", 17), ("🎮", 2), ("漢字", 4), ("ｆｕｌｌ", 8),
    ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("e\u{301}", 1), ("a\u{300}\u{323}b", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4),
    ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈!", 3), ("क्षि", 3), ("€", 1), ("\u{FFFD}", 1), (Self.england, 2),
  ])
  func aTextHasTheColumnsOfATerminal(text: String, columns: Int) {
    #expect(TerminalWidth.of(text) == columns, "\(text)")
  }

  private static let england = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"

  @Test("The flag of a region is shown, and tags that make none are not")
  func flagsOfRegions() {
    let tags = "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}"
    #expect(ShownText.safe("a \(Self.england) b") == "a \(Self.england) b")
    for hidden in [
      tags + "\u{E007F}", "\u{1F3F4}" + tags, "\u{1F3F4}\u{E0067}\u{E007F}", "x\u{E0067}", "\u{1F3F4}\u{E007F}",
    ] {
      #expect(ShownText.safe(hidden).contains("\u{FFFD}"), "\(hidden.unicodeScalars.map(\.value))")
    }
  }

  private func table(_ columns: Int, _ rows: [[String]]) -> [String] {
    var environment = ScriptedRun.environment(
      node: ScriptedNode(),
      console: ScriptedConsole(outputIsTerminal: true, size: TerminalSize(columns: columns, rows: 24)))
    environment.variables["NO_COLOR"] = "1"
    return TerminalEnvironment.$current.withValue(environment) {
      TableText.render(["Name", "Reason", "Points"], numbers: [2], wrap: [1], rows: rows, empty: "none")
        .split(separator: "\n").map(String.init)
    }
  }

  private static let names = [
    "Zoes Rechner 🦖🦖", "漢字のパソコン", "José e\u{301}", "🇩🇪🇫🇷", "👨‍👩‍👧‍👦", "Emma", "한국 PC", "❤️", england,
  ]

  @Test("No cell loses its end, and the last column ends at one place")
  func tablesAreStraight() {
    for name in Self.names {
      let lines = table(80, [[name, "play 🎮", "2"], ["Ben", "漢", "113"]])
      #expect(lines.count == 4 && lines[2].hasPrefix(name) && lines[2].contains("play 🎮"), "\(lines)")
      #expect(!lines.joined().contains("\u{FFFD}"), "\(lines)")
      #expect(Set(lines.map { TerminalWidth.of($0) }).count == 1, "\(lines)")
    }
  }

  @Test("On a narrow terminal, no line is wider, and no character is cut")
  func wrappedTextFits() {
    let reason = "ich möchte 漢字漢字 noch 🎮🎮 mit 👨‍👩‍👧‍👦 spielen e\u{301}e\u{301} bitte"
    for columns in 32...60 {
      let lines = table(columns, Self.names.map { [$0, reason, "7"] })
      #expect(lines.allSatisfy { TerminalWidth.of($0) <= columns }, "\(columns): \(lines)")
      #expect(lines.filter { $0.contains("👨‍👩‍👧‍👦 ") || $0.hasSuffix("👨‍👩‍👧‍👦") || $0.contains(" 👨‍👩‍👧‍👦") }.count >= Self.names.count)
    }
    for columns in 2...20 {
      let lines = WrappedText.lines(reason, columns: columns)
      #expect(lines.allSatisfy { TerminalWidth.of($0) <= columns }, "\(columns): \(lines)")
      #expect(lines.joined().filter { $0 != " " } == reason.filter { $0 != " " })
    }
  }

  @Test("A joiner is shown between emoji alone: it cannot hide in a name")
  func joiners() {
    #expect(ShownText.safe("👨‍👩‍👧‍👦 🏳️‍🌈") == "👨‍👩‍👧‍👦 🏳️‍🌈")
    #expect(ShownText.safe("Em\u{200D}ma\u{200D}") == "Em\u{FFFD}ma\u{FFFD}")
    #expect(
      ShownText.safe("👨\u{200D}a 1\u{200D}2 \u{200D}👩 👨\u{200D}\u{200D}👩")
        == "👨\u{FFFD}a 1\u{FFFD}2 \u{FFFD}👩 👨\u{FFFD}\u{FFFD}👩")
  }
}
