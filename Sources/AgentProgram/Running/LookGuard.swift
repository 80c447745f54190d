import Glibc
import LatchkeyAgent
import Synchronization

/// A thread that has the agent's program start anew when the reading of a process's files in /proc does not end.
///
/// The thread that reads waits in the kernel and can be ended, not called back. So the same process runs the program again, which knows
/// from a variable which processes it must not read. Orders are on the disk, and in force again at once.
///
/// Spec: Protocol/13-agent.md §10.
enum LookGuard {
  /// The variable with the numbers of the processes whose files are left alone, with commas between.
  static let variable = "LATCHKEY_UNREADABLE"
  /// The time for which a single read may last, in milliseconds; it is noticed within twice that.
  private static let patienceMilliseconds: Int32 = 750
  /// The most processes that are left alone.
  private static let mostProcesses = 256
  /// The environment that the process was started with.
  private static let environment = Mutex<[String]>([])

  /// Begins to watch over the calling thread, which is the process's first; returns the processes to be left alone.
  static func begin() -> [Int32] {
    let left = (getenv(variable).map { String(cString: $0) } ?? "").split(separator: ",").compactMap { Int32($0) }
    unsetenv(variable)
    var found: [String] = []
    var entry = environ
    while let text = entry.pointee {
      found.append(String(cString: text))
      entry += 1
    }
    environment.withLock { $0 = found }
    ProcessReads.leaveOut(Set(left))
    guard ProcessReads.watch() else { return left }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        LookGuard.watch()
        return nil
      }, nil)
    return left
  }

  private static func watch() {
    while true {
      ProcessReads.awaitOne()
      var last = ProcessReads.current
      while true {
        poll(nil, 0, patienceMilliseconds)
        let now = ProcessReads.current
        if now == last, let process = now.process, isWaiting { startAnew(without: process) }
        if now.process == nil, now == last { break }
        last = now
      }
    }
  }

  /// A Boolean value that indicates whether the first thread waits: one that is slow, or does not get a processor, runs.
  private static var isWaiting: Bool {
    guard let line = ProcFile.line("/proc/self/task/\(getpid())/stat", most: 1_024), let end = line.lastIndex(of: 0x29),
      end + 2 < line.count
    else { return false }
    return line[end + 2] != UInt8(ascii: "R")
  }

  private static func startAnew(without process: Int32) {
    let left = ProcessReads.leftOutProcesses.suffix(mostProcesses - 1) + [process]
    AgentRunner.say(
      "Reading the files of process \(process) in /proc does not end: it is left out, and the agent starts anew.")
    let variables = environment.withLock { $0 } + ["\(variable)=" + left.map(String.init).joined(separator: ",")]
    let words: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    // Ends all other threads, also one that waits. The list above is of this start, and the next one frees nothing.
    execve("/proc/self/exe", CommandLine.unsafeArgv, words)
    // Without a new program there is nothing that would obey: the service manager starts one.
    kill(getpid(), SIGKILL)
  }
}
