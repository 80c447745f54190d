import ArgumentParser
import LatchkeyModel
import LatchkeySystem
import NIOCore

/// The program as a function: arguments in, exit status out.
public enum LatchkeyProgram {
  /// Runs the command line of this process; nothing else may run in it before.
  ///
  /// As below, `arguments` are without the program's own name.
  public static func main(arguments: [String]) async -> Int32 {
    InheritedDescriptors.note()
    // One thread serves a program that asks a node; each more would be started for nothing.
    if arguments.first != "run" { NIOSingletons.groupLoopCountSuggestion = 1 }
    return await run(arguments: arguments)
  }

  /// Answers a question for the version or for help, which needs no threads, and returns the exit
  /// status of the process; `nil`, and nothing is printed, if the arguments ask for something else.
  public static func answer(arguments: [String]) -> Int32? {
    let arguments = GroupHelp.arguments(for: arguments)
    guard let last = arguments.last, ["--version", "--help", "-h"].contains(last),
      SubcommandSpelling.fault(in: arguments) == nil
    else { return nil }
    do {
      var command = try LatchkeyTool.parseAsRoot(arguments)
      // The last argument belongs to the program that the command runs.
      if command is any AsyncParsableCommand { return nil }
      try command.run()
      return ExitStatus.ok.rawValue
    } catch {
      guard LatchkeyTool.exitCode(for: error).isSuccess else { return nil }
      return finish(error, arguments: arguments, console: TerminalEnvironment.current.console)
    }
  }

  /// Confines this process to the files that its command needs, if that command reads what
  /// strangers send; it has only one thread yet.
  public static func confine(arguments: [String]) {
    guard arguments.first == WebSubcommand.configuration.commandName else { return }
    // `run` reports what cannot be parsed.
    do {
      if let command = try LatchkeyTool.parseAsRoot(arguments) as? WebServeSubcommand { try command.confine() }
    } catch {}
  }

  /// Parses the arguments, runs the command, prints failures on standard error, and returns the
  /// process's `ExitStatus`.
  public static func run(arguments: [String]) async -> Int32 {
    let console = TerminalEnvironment.current.console
    let arguments = GroupHelp.arguments(for: arguments)
    do {
      if let fault = SubcommandSpelling.fault(in: arguments) ?? RepeatedOption.fault(in: arguments) {
        // It names its own help; the parser would name the help of the whole program.
        console.note("Error: " + fault)
        return ExitCode.validationFailure.rawValue
      }
      if var command = await NamedCommand.parsed(arguments) {
        try await command.run()
        return ExitStatus.ok.rawValue
      }
      var command = try await LatchkeyTool.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
      return ExitStatus.ok.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      if let failure = TerminalFailure(error) {
        // It may quote what other machines and people wrote.
        if let sentence = failure.sentence {
          // A sentence in another language is recognized by its English one.
          let english = (error as? LocalAPIError)?.message ?? sentence
          let next = ArgumentHint.namingChild(english, arguments: arguments).map {
            " " + $0.worded(in: english == sentence ? .english : TerminalEnvironment.current.language)
          }
          console.note("latchkey: " + ShownText.safe(sentence + (next ?? "")))
        }
        return failure.exitStatus
      }
      return finish(error, arguments: arguments, console: console)
    }
  }

  /// Returns a message of the argument parser whose usage line is broken at 80 columns.
  static func usageInWidth(_ message: String) -> String {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      guard line.count > 80, line.hasPrefix("USAGE: ") || line.hasPrefix("Usage: ") else { return String(line) }
      return words(line).reduce(into: [String]()) { lines, word in
        if let begun = lines.last, begun.count + 1 + word.count <= 80 {
          lines[lines.count - 1] = begun + " " + word
        } else {
          lines.append(lines.isEmpty ? word : "        " + word)
        }
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Returns an error of the argument parser without its help, which its last line names.
  static func withoutUsage(_ message: String) -> String {
    // The meaning of an option is news only to a person who has left it out.
    let isMissing = message.hasPrefix("Error: Missing expected")
    return message.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      !line.hasPrefix("Usage: ") && (isMissing || !line.hasPrefix("Help: "))
    }.joined(separator: "\n")
  }

  /// Returns the words of a usage line; an option in brackets is one word with its value.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var depth = 0
    for word in line.split(separator: " ") {
      let isNew = depth == 0
      if depth > 0 { words[words.count - 1] += " " + word } else { words.append(String(word)) }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
      // An option that is required stands before its value without brackets.
      if isNew, word.hasPrefix("<"), words.count > 1, words[words.count - 2].hasPrefix("--") {
        let value = words.removeLast()
        words[words.count - 1] += " " + value
      }
    }
    return words
  }

  /// Prints an argument error, or the requested help or version.
  private static func finish(_ error: any Error, arguments: [String], console: any Console) -> Int32 {
    let status = LatchkeyTool.exitCode(for: error).rawValue
    // A command that runs has found an argument wrong; the parser does not know that command.
    let own = (error as? ValidationError).map { TypedCommand(arguments).error($0.message) }
    let full = own ?? LatchkeyTool.fullMessage(for: error)
    let shown =
      status == ExitStatus.ok.rawValue
      ? CompletionScript.completed(usageInWidth(full))
      : ChildsMistake.message(full, arguments: arguments, in: TerminalEnvironment.current.language)
        ?? withoutUsage(ArgumentHint.better(full, arguments: arguments))
    let message = PairingCodeMask.hide(in: shown, arguments: arguments)
    if status == ExitStatus.ok.rawValue {
      do { try console.write(message + "\n") } catch { return ExitStatus.inputOutput.rawValue }
    } else {
      console.note(message)
    }
    return status == 1 ? ExitStatus.internalFault.rawValue : status
  }
}

/// Removes pairing codes from messages about arguments.
enum PairingCodeMask {
  /// The shortest piece of a code that is worth hiding; a shorter one gives nothing away.
  private static let leastPiece = 3

  /// Returns a message without the arguments that resemble a pairing code, a value that contains
  /// one, or the rest of a code that was given in pieces.
  static func hide(in message: String, arguments: [String]) -> String {
    var hidden: [String] = []
    var isAfterCode = false
    for argument in arguments {
      if looksLikeCode(argument) {
        isAfterCode = true
        hidden.append(argument)
        let value = argument.drop { $0 != "=" }.dropFirst()
        if !value.isEmpty { hidden.append(String(value)) }
      } else if isAfterCode, isPiece(argument) {
        hidden.append(argument)
      }
    }
    hidden += typedPieces(arguments)
    return hidden.sorted { $0.count > $1.count }.reduce(message) { $0.replacing($1, with: "…") }
  }

  /// Returns whether a text contains the beginning of a code, however it is typed.
  static func looksLikeCode(_ text: String) -> Bool {
    let compact = text.uppercased().filter { $0 != "-" && $0 != " " }
    return compact.contains("LK1") || looksTyped(text)
  }

  /// Returns whether a text, or the value in it, looks like a typed code, such as `KX-7Q2MN-4C`.
  private static func looksTyped(_ text: String) -> Bool {
    let value = text.contains("=") ? String(text.drop { $0 != "=" }.dropFirst()) : text
    let groups = value.split { $0 == "-" || $0 == " " }
    guard groups.reduce(0, { $0 + $1.utf8.count }) == 9, groups.allSatisfy({ $0.utf8.allSatisfy(\.isLetterOrDigit) })
    else {
      return false
    }
    // A word of nine letters is not a code, but one with dashes at the places of a code is.
    return groups.map(\.utf8.count) == [2, 5, 2] || groups.contains { $0.contains(where: \.isNumber) }
  }

  /// The parts of a typed code that was given as three arguments.
  private static func typedPieces(_ arguments: [String]) -> [String] {
    guard arguments.count >= 3 else { return [] }
    return (0...arguments.count - 3).flatMap { first in
      let pieces = Array(arguments[first..<first + 3])
      return looksTyped(pieces.joined(separator: "-")) && pieces.map(\.utf8.count) == [2, 5, 2] ? pieces : []
    }
  }

  private static func isPiece(_ text: String) -> Bool {
    text.utf8.count >= leastPiece && !text.hasPrefix("-")
      && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}
