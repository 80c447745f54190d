import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The processes that an agent never closes: itself, its node and their ancestors, with the
/// executables of both programs.
///
/// A process is identified by its number and start, since the kernel reuses the numbers of ended
/// processes.
///
/// Spec: Protocol/13-agent.md §6.
struct ProtectedProcesses {
  private struct Line {
    var processes: Set<ProcessIdentity> = []
    var file: ProcessLooker.FilePlace?

    /// Reads a process and its ancestors.
    init(of process: Int32) {
      var pid = process
      for _ in 0..<64 where pid > 1 {
        guard let line = ProcessStatLine(pid: pid) else { break }
        processes.insert(ProcessIdentity(processID: pid, startTime: line.startTime))
        pid = line.parent
      }
      file = ProcFile.status("/proc/\(process)/exe").map {
        ProcessLooker.FilePlace(device: UInt64($0.st_dev), inode: UInt64($0.st_ino))
      }
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
      return ProcFile.status(beside).map {
        (beside, ProcessLooker.FilePlace(device: UInt64($0.st_dev), inode: UInt64($0.st_ino)))
      }
    }
  }

  mutating func connected(node process: Int32) { node = Line(of: process) }

  var processes: Set<ProcessIdentity> { own.processes.union(node?.processes ?? []) }
  var files: Set<ProcessLooker.FilePlace> { Set([own.file, node?.file, commands?.file].compactMap { $0 }) }
  /// The paths of protected executables of which nothing else can be read.
  var paths: Set<String> { Set([commands?.path].compactMap { $0 }) }
}
