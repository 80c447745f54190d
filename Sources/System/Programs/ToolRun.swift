import CProcess
import Glibc

/// A run of a program of the system's, bounded in the bytes of its output and in time.
///
/// The program gets no input and no descriptors but its three streams, and is killed if it exceeds
/// a bound. Its end is noticed without a network. Foundation's `Process` needs a loopback interface
/// that is up.
public enum ToolRun {
  public enum Result: Sendable, Hashable {
    case output(String)
    /// There is no such program.
    case absent
    /// The program failed or took too long; with the program's own message, if there is one.
    case failed(String)
  }

  /// The folders that are searched for programs, since an ordinary user's PATH omits some.
  private static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"]

  /// Runs a program to its end, at most for some seconds, and reads so many bytes of its output.
  ///
  /// `variables` are environment variables in addition to the path and the language.
  public static func run(
    _ name: String, _ arguments: [String], bytes: Int = 4 << 20, seconds: Int = 3, variables: [String: String] = [:]
  ) -> Result {
    guard
      let path = folders.map({ (folder: String) -> String in "\(folder)/\(name)" }).first(where: {
        access($0, X_OK) == 0
      })
    else { return .absent }
    let surroundings = variables.merging(["LC_ALL": "C", "PATH": folders.joined(separator: ":")]) { $1 }
    var (output, talk): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    defer { for end in output + talk where end >= 0 { close(end) } }
    guard pipe(&output) == 0, pipe(&talk) == 0 else { return .failed("it could not be started") }
    for end in output + talk { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let spawn = ProgramSpawn(path: path, arguments: [path] + arguments, variables: surroundings)
    let pid = try? spawn.start { actions in
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, talk[1], STDERR_FILENO)
      posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    }
    guard let pid else { return .failed("it could not be started") }
    var hasEnded = false
    defer {
      if !hasEnded {
        kill(pid, SIGKILL)
        _ = ProgramSpawn.reap(pid)
      }
    }
    for end in [output[1], talk[1]] { close(end) }
    (output[1], talk[1]) = (-1, -1)
    let handle = latchkey_pidfd_open(pid)
    defer { close(handle) }
    let texts = read(
      [output[0], talk[0]], bytes: bytes, until: SystemClock.awake.milliseconds + Int64(seconds) * 1_000)
    guard let texts else { return .failed("it took too long or said too much") }
    // A program that has closed its output and continues is not waited for.
    var end = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    guard poll(&end, 1, Int32(clamping: max(0, seconds * 1_000))) > 0 else { return .failed("it did not end") }
    let exit = ProgramSpawn.reap(pid)
    hasEnded = true
    guard exit.shellStatus == 0 else {
      return .failed(texts[1].split(separator: "\n").first.map(String.init) ?? "status \(exit.shellStatus)")
    }
    return .output(texts[0])
  }

  /// Reads both streams to their ends; returns `nil` if that exceeds the time or the bytes.
  private static func read(_ descriptors: [CInt], bytes: Int, until deadline: Int64) -> [String]? {
    var texts = descriptors.map { _ in [UInt8]() }
    var open = Set(descriptors.indices)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !open.isEmpty {
      let order = open.sorted()
      var polls = order.map { pollfd(fd: descriptors[$0], events: Int16(POLLIN), revents: 0) }
      let rest = deadline - SystemClock.awake.milliseconds
      guard rest > 0, poll(&polls, nfds_t(polls.count), CInt(rest)) > 0 else { return nil }
      for (place, index) in order.enumerated() where polls[place].revents != 0 {
        let count = Glibc.read(descriptors[index], &buffer, buffer.count)
        if count <= 0 {
          open.remove(index)
        } else {
          texts[index] += buffer.prefix(count)
          guard texts[index].count <= bytes else { return nil }
        }
      }
    }
    return texts.map { String(decoding: $0, as: UTF8.self) }
  }
}
