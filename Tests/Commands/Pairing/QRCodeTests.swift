import LatchkeyWeb
import Testing

@testable import LatchkeyCommands

/// The picture of a code: its size, its quiet zone, and that its colours hold on every background.
@Suite struct QRCodeTests {
  private var code: QRCode {
    get throws { try #require(QRCode(SamplePairing.code.filter { $0 != "-" })) }
  }

  @Test func aPastedCodeFitsBesideItsText() throws {
    #expect(try code.size == 33)
    for paint in [QRCodeText.Paint.colours, .onDark, .onLight] {
      let text = QRCodeText(try code, paint: paint)
      #expect(text.width == 41)
      #expect(text.lines.count == 21)
    }
  }

  @Test func threeCornersHaveTheirMarks() throws {
    let code = try code
    for (column, row) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
      #expect((0..<7).allSatisfy { code[column: column + $0, row: row] }, "\(column), \(row)")
      #expect(!code[column: column + 1, row: row + 1] && code[column: column + 3, row: row + 3])
    }
    #expect(!code[column: -1, row: 0] && !code[column: 0, row: code.size])
  }

  @Test func withoutColoursWhatIsDrawnIsTheOpposite() throws {
    let dark = QRCodeText(try code, paint: .onDark).lines
    let light = QRCodeText(try code, paint: .onLight).lines
    let opposite: [Character: Character] = ["█": " ", " ": "█", "▀": "▄", "▄": "▀"]
    #expect(dark == light.map { String($0.compactMap { opposite[$0] }) })
    // The quiet zone is light, so in a dark terminal it is drawn.
    #expect(dark.first == String(repeating: "█", count: 41))
    #expect(light.last == String(repeating: " ", count: 41))
  }

  @Test func coloursAreSaidOnEveryLineAndTakenBack() throws {
    for line in QRCodeText(try code, paint: .colours).lines {
      #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m") && line.hasSuffix("\u{1B}[0m"))
    }
  }

  @Test func aTextThatNoCodeHoldsIsNone() {
    #expect(QRCode(String(repeating: "A", count: 5_000)) == nil)
  }

  private func look(_ variables: [String: String], plain: Bool = false, _ background: BackgroundArgument? = nil)
    -> TerminalLook
  {
    var environment = ScriptedRun.environment(node: ScriptedNode(), console: ScriptedConsole())
    environment.variables = variables
    return TerminalLook(isPlain: plain, background: background, environment: environment)
  }

  @Test(
    arguments: [
      ([:], nil, .colours), (["NO_COLOR": "1"], nil, .onDark), (["NO_COLOR": ""], nil, .colours),
      (["NO_COLOR": "1", "COLORFGBG": "0;15"], nil, .onLight),
      (["NO_COLOR": "1", "COLORFGBG": "0;default;15"], nil, .onLight),
      (["NO_COLOR": "1", "COLORFGBG": "15;0"], nil, .onDark), (["NO_COLOR": "1", "COLORFGBG": "15;8"], nil, .onDark),
      (["NO_COLOR": "1", "COLORFGBG": "x"], nil, .onDark),
      (["NO_COLOR": "1", "COLORFGBG": "0;15"], .dark, .onDark), (["NO_COLOR": "1"], .light, .onLight),
    ] as [([String: String], BackgroundArgument?, QRCodeText.Paint)])
  func thePaintFollowsWhatThePersonSaid(
    variables: [String: String], background: BackgroundArgument?, paint: QRCodeText.Paint
  ) {
    #expect(look(variables.merging(["TERM": "xterm"]) { $1 }, background).paint == paint)
  }

  @Test func aTerminalThatCannotMoveItsCursorIsNotAskedTo() {
    #expect(look(["TERM": "xterm-256color"]).moves)
    #expect(!look(["TERM": "dumb"]).moves)
    #expect(!look([:]).moves)
    #expect(!look(["TERM": "xterm"], plain: true).moves)
  }

  @Test func withoutUTF8ThereIsNoPicture() {
    #expect(look(["LANG": "de_DE.UTF-8"]).isUnicode && look(["LANG": "C.utf8"]).isUnicode && look([:]).isUnicode)
    #expect(!look(["LANG": "C.UTF-8", "LC_ALL": "C"]).isUnicode)
    let panel = InvitationPanel(SamplePairing.opened(), look: look(["LANG": "de_DE.ISO-8859-1"]), isBold: false)
    #expect(panel.picture == nil)
    #expect(panel.lines(size: .usual, time: "t", notice: nil)?.contains(SamplePairing.typedCode) == true)
  }
}
