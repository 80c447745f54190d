import LatchkeyModel

/// The questions for a PIN, whose answer the terminal does not show.
///
/// A PIN is never an argument, which other accounts of the machine could read.
enum PINPrompt {
  /// Returns the PIN that a person types or, without a terminal, the first line of standard input.
  ///
  /// Throws `TerminalFailure` for anything else than a PIN.
  static func ask(_ question: String) async throws -> String {
    let text = try await line(question)
    guard PIN(text) != nil else { throw TerminalFailure(.data, PIN.fault) }
    return text
  }

  /// Returns a new PIN, which a person types twice.
  static func askForNew(of child: String) async throws -> String {
    let first = try await ask("New PIN of \(child), 4 to 12 digits: ")
    guard TerminalEnvironment.current.console.inputIsTerminal else { return first }
    guard try await line("The same again: ") == first else {
      throw TerminalFailure(.data, "The two PINs differ, and nothing was changed: run the command again.")
    }
    return first
  }

  private static func line(_ question: String) async throws -> String {
    let console = TerminalEnvironment.current.console
    var typed: String?
    if console.inputIsTerminal {
      typed = await hiddenLine(question, console)
    } else {
      typed = await console.readLine()
    }
    guard let typed else {
      throw TerminalFailure(
        .noInput, "No PIN was given, and nothing was changed: type it, or pass it on standard input.")
    }
    return typed.last == "\r" ? String(typed.dropLast()) : typed
  }

  /// Reads a line without showing it; returns `nil` after Ctrl-C.
  private static func hiddenLine(_ question: String, _ console: any Console) async -> String? {
    let interrupts = console.interrupts()
    console.setInput(.hidden)
    defer { console.setInput(.lines) }
    console.prompt(question)
    // The end of the line is typed unseen.
    defer { console.prompt("\n") }
    return await withTaskGroup(of: Answer.self) { group in
      group.addTask { .line(await console.readLine()) }
      group.addTask {
        for await _ in interrupts { return .interrupt }
        return .nothing
      }
      defer { group.cancelAll() }
      for await answer in group {
        switch answer {
        case .line(let line): return line
        case .interrupt: return nil
        case .nothing: continue
        }
      }
      return nil
    }
  }

  /// What ends a question.
  private enum Answer: Sendable {
    case line(String?)
    /// Ctrl-C.
    case interrupt
    /// Nothing: no more interrupts come.
    case nothing
  }
}
