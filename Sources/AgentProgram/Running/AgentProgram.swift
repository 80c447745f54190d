import Glibc
import LatchkeySystem

public enum AgentProgram {
  /// Runs the program, and returns its exit status.
  public static func main(arguments: [String]) -> Int32 {
    if arguments == ["--help"] || arguments == ["-h"] {
      write(AgentSettings.help, to: STDOUT_FILENO)
      return 0
    }
    if arguments.first == "gate" { return LoginGate.main(arguments: Array(arguments.dropFirst())) }
    if arguments.first == "schedule" { return schedule(Array(arguments.dropFirst())) }
    do throws(AgentStartFault) {
      let settings = try AgentSettings.read(arguments)
      // A service that lacks this right has its service manager do it.
      _ = ProcessorSlice.requestShortest()
      try AgentRunner(settings, unreadable: LookGuard.begin()).work()
      return 0
    } catch {
      AgentRunner.say(error.sentence)
      return error.exitStatus
    }
  }

  /// Asks for short slices of the processor for an agent, and returns the exit status.
  private static func schedule(_ arguments: [String]) -> Int32 {
    guard arguments.count == 1, let process = Int32(arguments[0]), process > 0 else {
      AgentRunner.say("Give the number of one process after schedule; see latchkey-agent --help.")
      return 64
    }
    // `LookGuard` starts the program anew from another thread, whose slices the process keeps.
    let threads = ProcFile.threads(of: process)
    guard !threads.isEmpty, threads.allSatisfy({ ProcessorSlice.requestShortest(for: $0) }) else {
      AgentRunner.say(
        "Process \(process) gets no short slices (\(SystemError.reason())): run this as root, for one that runs.")
      return 77
    }
    return 0
  }

  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}

struct AgentSettings: Hashable, Sendable {
  var socket: String
  var orders: String
  /// The user ID of the node's account for the system agent; `nil` for a single-user agent.
  var nodeUser: UInt32?
  /// The path of the log-in gates' socket; `nil` if log-ins are not controlled.
  var gate: String?
  /// The folder of control groups in which programs are frozen; `nil` if they are closed instead.
  var jail: String?

  static let help = """
    Sees which programs run and carries out what the node of this machine orders: it warns, and closes what may not run.

    USAGE: latchkey-agent --socket PATH --orders PATH [--node-user USER] [--gate PATH] [--jail PATH]

    `latchkey run` starts it on a child's machine; there is no need to run it by hand.

      --socket PATH     Listen for the node at this path.
      --orders PATH     Keep the orders in this file.
      --node-user USER  Be the system's agent, for the node that runs as this user; only root can.
      --gate PATH       Answer log-in gates at this path; with --node-user.
      --jail PATH       Freeze programs in control groups below this folder; with --node-user.
      --help            Show this.

    It ends by itself when its socket is removed.

    `latchkey-agent gate [--socket PATH] [--orders PATH]` is what PAM asks before a session begins. It refuses by the exit
    status 0, and allows by any other.

    `latchkey-agent schedule PROCESS` asks the kernel for short slices of the processor for an agent, which then waits less for
    other programs. Its service runs this.

    """

  /// Reads the arguments after the program's name.
  ///
  /// - Throws: `AgentStartFault`, the caller's fault, whose sentence says what is wrong.
  static func read(_ arguments: [String]) throws(AgentStartFault) -> AgentSettings {
    func fault(_ sentence: String) -> AgentStartFault { AgentStartFault(sentence: sentence, exitStatus: 64) }
    var (socket, orders, user): (String?, String?, String?)
    var (gate, jail): (String?, String?)
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw fault("\(option) needs a value: see latchkey-agent --help.") }
      switch option {
      case "--socket": socket = value
      case "--orders": orders = value
      case "--node-user": user = value
      case "--gate": gate = value
      case "--jail": jail = value
      default: throw fault("There is no option \(option): see latchkey-agent --help.")
      }
    }
    guard let socket, let orders, socket.hasPrefix("/"), orders.hasPrefix("/") else {
      throw fault("The agent needs a full path for --socket and for --orders: see latchkey-agent --help.")
    }
    guard let user else {
      guard gate == nil, jail == nil else {
        throw fault("Only the system's agent has a gate and a jail: add --node-user.")
      }
      return AgentSettings(socket: socket, orders: orders)
    }
    guard let number = UInt32(user) ?? getpwnam(user)?.pointee.pw_uid else {
      throw fault("There is no account \(user): give --node-user the name or number of one, such as _latchkey.")
    }
    return AgentSettings(socket: socket, orders: orders, nodeUser: number, gate: gate, jail: jail)
  }
}
