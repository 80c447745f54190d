import ArgumentParser
import LatchkeyAgent

/// The program as a function: arguments in, exit status out.
public enum LatchkeyProgram {
  /// Runs the command line of this process; nothing else may run in it before.
  ///
  /// - Parameter arguments: without the program's own name.
  /// - Returns: the process's exit status.
  public static func main(arguments: [String]) async -> Int32 {
    InheritedDescriptors.note()
    return await run(arguments: arguments)
  }

  /// Parses the arguments, runs the command and prints failures on standard error.
  ///
  /// - Parameter arguments: The arguments without the program's own name.
  /// - Returns: The exit status of the process; see `ExitStatus`.
  public static func run(arguments: [String]) async -> Int32 {
    let console = TerminalEnvironment.current.console
    do {
      if let fault = SubcommandSpelling.fault(in: arguments) { throw ValidationError(fault) }
      var command = try await LatchkeyTool.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return ExitStatus.ok.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      if let failure = TerminalFailure(error) {
        // It may quote what other machines and people wrote.
        if let sentence = failure.sentence { console.note("latchkey: " + ShownText.safe(sentence)) }
        return failure.exitStatus
      }
      return finish(error, arguments: arguments, console: console)
    }
  }

  /// Prints an argument error, or the requested help or version.
  private static func finish(_ error: any Error, arguments: [String], console: any Console) -> Int32 {
    let status = LatchkeyTool.exitCode(for: error).rawValue
    let message = PairingCodeMask.hide(in: LatchkeyTool.fullMessage(for: error), arguments: arguments)
    if status == ExitStatus.ok.rawValue {
      do {
        try console.write(message + "\n")
      } catch {
        return ExitStatus.inputOutput.rawValue
      }
    } else {
      console.note(message)
    }
    return status == 1 ? ExitStatus.internalFault.rawValue : status
  }
}
