import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The descriptors of followed programs, which signal their ends and take signals for them.
struct HeldHandles {
  private var held: [ProcessIdentity: ProcessHandle] = [:]
  /// The most descriptors that are held, so that other files remain available for scans.
  private let most = min(1_024, Int(clamping: sysconf(Int32(_SC_OPEN_MAX))) / 2)

  /// The descriptors, which are ready when their processes have ended.
  var descriptors: [(process: ProcessIdentity, descriptor: Int32)] { held.map { ($0.key, $0.value.descriptor) } }

  /// Keeps a descriptor of a process to observe its end, unless it has ended or too many are kept.
  ///
  /// `seenAt` is a reading of the clock from before the process was seen with its start time.
  mutating func hold(_ process: ProcessIdentity, seenAt: BootInstant? = nil) {
    if held[process] == nil, held.count < most { held[process] = ProcessHandle(process, seenAt: seenAt) }
  }

  mutating func forget(_ process: ProcessIdentity) { held[process] = nil }

  /// Sends a signal to a process, if its number has not been reused, and holds its descriptor.
  mutating func signal(_ process: ProcessIdentity, _ number: Int32, seenAt: BootInstant?) {
    hold(process, seenAt: seenAt)
    (held[process] ?? ProcessHandle(process, seenAt: seenAt))?.send(signal: number)
  }
}

/// The processes that an agent never closes: itself, its node and their ancestors, with the
/// executables of both programs.
///
/// A process is identified by its number and start, since numbers are reused. Spec:
/// Protocol/13-agent.md §6.
struct ProtectedProcesses {
  private struct Line {
    var processes: Set<ProcessIdentity> = []
    var file: ProcessLooker.FilePlace?

    init(of process: Int32) {
      var pid = process
      for _ in 0..<64 where pid > 1 {
        guard let line = ProcessStatLine(pid: pid) else { break }
        processes.insert(ProcessIdentity(processID: pid, startTime: line.startTime))
        pid = line.parent
      }
      file = ProcFile.status("/proc/\(process)/exe").map(ProcessLooker.FilePlace.init)
    }
  }

  private let own: Line
  private var node: Line?
  /// The program of the node and its commands, beside this one.
  ///
  /// It hides its files from other processes of the same user.
  private let commands: (path: String, file: ProcessLooker.FilePlace)?

  /// Reads this process and its ancestors.
  init() {
    own = Line(of: getpid())
    commands = ProcFile.link("/proc/self/exe").flatMap { path in
      let beside = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/latchkey"
      return ProcFile.status(beside).map { (beside, ProcessLooker.FilePlace($0)) }
    }
  }

  mutating func connected(node process: Int32) { node = Line(of: process) }

  var processes: Set<ProcessIdentity> { own.processes.union(node?.processes ?? []) }
  var files: Set<ProcessLooker.FilePlace> { Set([own.file, node?.file, commands?.file].compactMap { $0 }) }
  /// The paths of protected executables of which nothing else can be read.
  var paths: Set<String> { Set([commands?.path].compactMap { $0 }) }
}
