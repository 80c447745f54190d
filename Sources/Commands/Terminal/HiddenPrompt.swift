/// A question whose answer the terminal does not show, such as for a password.
///
/// Such an answer is never an argument, which other accounts of the machine could read.
enum HiddenPrompt {
  /// Returns what a person types or, without a terminal, the next line of standard input; `nil`
  /// after Ctrl-C or at the end of the input.
  static func line(_ question: String) async -> String? {
    let console = TerminalEnvironment.current.console
    let typed = console.inputIsTerminal ? await hiddenLine(question, console) : await console.readLine()
    guard let typed else { return nil }
    return typed.last == "\r" ? String(typed.dropLast()) : typed
  }

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
