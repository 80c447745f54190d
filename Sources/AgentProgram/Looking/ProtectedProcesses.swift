import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// The processes that an agent never closes: its own, its node's, and those from which they descend, with the executables
/// of both programs.
///
/// A process is its number and its start, since the kernel gives the number of one that has ended to another.
///
/// Spec: Protocol/13-agent.md §6.
struct ProtectedProcesses {
  private struct Line {
    var processes: Set<ProcessIdentity> = []
    var file: ProcessLooker.FilePlace?

    /// Reads a process and those from which it descends.
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
  /// The program of the node and of its commands beside this one: it shows its files to nobody of the same user.
  private let commands: (path: String, file: ProcessLooker.FilePlace)?

  /// Reads this process and those from which it descends.
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
  /// The executables that are protected now.
  var files: Set<ProcessLooker.FilePlace> { Set([own.file, node?.file, commands?.file].compactMap { $0 }) }
  /// The paths of executables that are protected where nothing else of them can be read.
  var paths: Set<String> { Set([commands?.path].compactMap { $0 }) }
}
