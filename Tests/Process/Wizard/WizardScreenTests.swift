import Foundation
import LatchkeyModel
import Testing

extension ProcessTests {
  /// Tests of the wizard on terminals that are narrow or dumb, that other programs write to, or
  /// that are resized.
  @Suite struct WizardScreenTests: WizardFamily {
    @Test("Log lines that the node writes into the wizard's terminal are removed within a second")
    func writtenOver() async throws {
      try await family { parent, _, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        let pasted = try await left.pastedCode().filter { $0 != "-" }
        // The window's terminal is written to from outside, as by a program that runs beside the
        // wizard.
        let path = try await tmux.ask("display-message", "-p", "-t", left.name, "#{pane_tty}").output
          .trimmingCharacters(in: .newlines)
        for line in ["a log line", "another one\nand a third"] {
          let terminal = try #require(FileHandle(forWritingAtPath: path))
          try terminal.write(contentsOf: Data((line + "\n").utf8))
          try terminal.close()
          try await eventually("the page is whole again") {
            let screen = try await left.screen
            guard !screen.contains("a log"), !screen.contains("a third") else { return false }
            return try await decode(left, isDark: true) == pasted
          }
        }
        try await left.press("C-c")
        #expect(try await left.ended() == 75)
      }
    }

    @Test("Sentences are broken between words on a terminal")
    func sentences() async throws {
      try await family { parent, _, tmux in
        let left = try await tmux.open(parent, ["init", "--role", "parent", "--name", "x"], columns: 30)
        #expect(try await left.ended() == 73)
        for text in ["holds a node already", "another folder with"] { #expect(try await left.words.contains(text)) }
        // The program's own output, before the terminal interprets it.
        let lines = ProcessLab.read(left.raw).split { $0.isNewline }
        #expect(lines.count >= 3 && lines.contains { $0.hasPrefix("latchkey: ") })
        // Text without spaces, such as the folder's path, is not broken.
        for line in lines { #expect(line.count <= 30 || !line.contains(" "), "\(line)") }
      }
    }

    @Test("In 20 columns, plain, on a dumb terminal, and after a resize, the code stays readable and pairs")
    func small() async throws {
      try await family { parent, child, tmux in
        for (columns, options, variables) in [
          (20, [], []), (80, ["--plain"], []), (80, [], ["TERM=dumb"]), (20, ["--plain"], ["NO_COLOR=1"]),
        ] as [(Int, [String], [String])] {
          let left = try await tmux.open(parent, ["pair"] + options, columns: columns, variables: variables)
          try await left.prompts("nothing)")
          try await left.enter("Emma")
          let code = try await left.typedCode()
          #expect(try await left.pastedCode().hasPrefix("LK1"))
          #expect(try await !left.everything.contains("▀"))
          let right = try await tmux.open(child, ["pair"] + options, columns: columns, variables: variables)
          try await right.prompts("Code:")
          try await right.enter(code)
          try await agree(left, right)
          if options == ["--plain"] || variables == ["TERM=dumb"] {
            for terminal in [left, right] { #expect(!ProcessLab.read(terminal.raw).contains("\u{1B}")) }
          }
        }
      }
    }

    @Test("The window may be resized while the code waits")
    func resized() async throws {
      try await family { parent, _, tmux in
        let left = try await tmux.open(parent, ["pair", "--for", "Emma"])
        let code = try await left.typedCode()
        let pasted = try await left.pastedCode().filter { $0 != "-" }
        for (columns, rows) in [(20, 24), (80, 24), (60, 50), (100, 30), (79, 23), (81, 25)] {
          try await left.resize(columns: columns, rows: rows)
          let shows = columns >= 70 && rows >= 23 || rows >= 40
          try await eventually("the code is in sight at \(columns) × \(rows)") {
            let screen = try await left.screen
            guard screen.contains(code), screen.contains("Good for"), screen.contains("▀▀▀▀▀▀▀") == shows else {
              return false
            }
            // A partial drawing is neither the old page nor the new one.
            guard shows else { return true }
            return try await decode(left, columns: columns, isDark: true) == pasted
          }
        }
        try await left.press("C-c")
        #expect(try await left.ended() == 75)
      }
    }
  }
}
