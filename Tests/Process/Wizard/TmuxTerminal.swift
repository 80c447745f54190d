import Foundation

/// A tmux window with a program in it, as a person at the keyboard sees it.
struct TmuxTerminal: Sendable {
  let server: TmuxServer
  let name: String
  /// The file with every byte that the program wrote to the terminal.
  let raw: String

  /// The visible text.
  var screen: String {
    get async throws { try await server.ask("capture-pane", "-t", name, "-p").output }
  }

  /// The same with the sequences that colour it, and with coloured space at the ends of its lines.
  var coloured: String {
    get async throws { try await server.ask("capture-pane", "-t", name, "-p", "-e", "-N").output }
  }

  /// The visible text and the scrollback, without the line breaks of the terminal's width.
  var everything: String {
    get async throws { try await server.ask("capture-pane", "-t", name, "-p", "-J", "-S", "-").output }
  }

  /// All text in one line with single spaces, however it is broken, and without the picture beside
  /// it.
  var words: String {
    get async throws {
      try await everything.split(whereSeparator: \.isWhitespace).filter { !$0.allSatisfy("█▀▄".contains) }
        .joined(separator: " ")
    }
  }

  /// Waits until a text is visible or in the scrollback, however it is broken into lines.
  func shows(_ text: String) async throws {
    do {
      try await eventually("the terminal shows “\(text)”") { try await words.contains(text) }
    } catch { throw LabFault("\(error) It shows:\n\(try await everything)") }
  }

  /// Waits until the last thing shown is a question.
  func prompts(_ text: String) async throws {
    do {
      try await eventually("the terminal asks “\(text)”") { try await words.hasSuffix(text) }
    } catch { throw LabFault("\(error) It shows:\n\(try await everything)") }
  }

  /// Types text, and Enter after it.
  func enter(_ text: String) async throws {
    if !text.isEmpty { _ = try await server.ask("send-keys", "-t", name, "-l", "--", text) }
    try await press("Enter")
  }

  /// Presses a key by tmux's name for it, such as `C-c`.
  func press(_ key: String) async throws {
    _ = try await server.ask("send-keys", "-t", name, key)
  }

  func resize(columns: Int, rows: Int) async throws {
    _ = try await server.ask("resize-window", "-t", name, "-x", String(columns), "-y", String(rows))
  }

  /// Waits until the program has ended, and returns its exit status.
  func ended() async throws -> Int32 {
    var status: Int32 = -1
    do {
      try await eventually("the program in the terminal ends") {
        guard let written = Int32(ProcessLab.read(raw + ".status").split(separator: "\n").first ?? "") else {
          return false
        }
        status = written
        return true
      }
    } catch { throw LabFault("\(error) It shows:\n\(try await everything)") }
    return status
  }

  /// The typed code that is shown.
  func typedCode() async throws -> String {
    var code = ""
    try await eventually("a typed code is shown") {
      code =
        try await words.split(separator: " ").last { $0.split(separator: "-").map(\.count) == [2, 5, 2] }
        .map(String.init) ?? ""
      return !code.isEmpty
    }
    return code
  }

  /// The pasted code that is shown, which may be broken over several lines.
  func pastedCode() async throws -> String {
    var code = ""
    try await eventually("a pasted code is shown") {
      // Line breaks of the terminal's width are not copied.
      code =
        try await everything.split(whereSeparator: \.isWhitespace).last { $0.hasPrefix("LK1") }.map(String.init) ?? ""
      if code.filter({ $0 != "-" }).count >= 69 { return true }
      // A picture may be to the left of the lines; the rest is the groups.
      let groups = try await screen.split(whereSeparator: \.isWhitespace).filter { word in
        word.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) }
          && word.split(separator: "-").map(\.count) != [2, 5, 2] && word.count > 2
      }
      code = groups.joined()
      return code.hasPrefix("LK1") && code.filter({ $0 != "-" }).count >= 69
    }
    return code
  }
}
