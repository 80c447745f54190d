import Glibc

/// The program `latchkey-agent`.
public enum AgentProgram {
  /// Runs the program, and returns its exit status.
  public static func main(arguments: [String]) -> Int32 {
    if arguments == ["--help"] || arguments == ["-h"] {
      write(AgentSettings.help, to: STDOUT_FILENO)
      return 0
    }
    if arguments.first == "gate" { return LoginGate.main(arguments: Array(arguments.dropFirst())) }
    switch AgentSettings.read(arguments) {
    case .failure(let fault):
      AgentRunner.say(fault.sentence)
      return 64
    case .success(let settings):
      do {
        try AgentRunner(settings, unreadable: LookGuard.begin()).work()
        return 0
      } catch {
        AgentRunner.say(error.sentence)
        return error.exitStatus
      }
    }
  }

  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
