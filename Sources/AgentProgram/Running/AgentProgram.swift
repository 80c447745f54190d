import Glibc
import LatchkeySystem

/// The program `latchkey-agent`.
public enum AgentProgram {
  /// Runs the program, and returns its exit status.
  public static func main(arguments: [String]) -> Int32 {
    if arguments == ["--help"] || arguments == ["-h"] {
      write(AgentSettings.help, to: STDOUT_FILENO)
      return 0
    }
    if arguments.first == "gate" { return LoginGate.main(arguments: Array(arguments.dropFirst())) }
    if arguments.first == "schedule" { return schedule(Array(arguments.dropFirst())) }
    switch AgentSettings.read(arguments) {
    case .failure(let fault):
      AgentRunner.say(fault.sentence)
      return 64
    case .success(let settings):
      // A service that lacks this right has its service manager do it.
      _ = ProcessorSlice.requestShortest()
      do {
        try AgentRunner(settings, unreadable: LookGuard.begin()).work()
        return 0
      } catch {
        AgentRunner.say(error.sentence)
        return error.exitStatus
      }
    }
  }

  /// Asks for short slices of the processor for an agent, and returns the exit status.
  private static func schedule(_ arguments: [String]) -> Int32 {
    guard arguments.count == 1, let process = Int32(arguments[0]), process > 0 else {
      AgentRunner.say("Give the number of one process after schedule; see latchkey-agent --help.")
      return 64
    }
    // `LookGuard` starts the program again from another thread, and the process then keeps the
    // slices of that thread.
    let threads = ProcFile.threads(of: process)
    guard !threads.isEmpty, threads.allSatisfy({ ProcessorSlice.requestShortest(for: $0) }) else {
      AgentRunner.say(
        "Process \(process) gets no short slices (\(SystemError.reason())): run this as root, for one that runs."
      )
      return 77
    }
    return 0
  }

  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
