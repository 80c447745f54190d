import Glibc
import LatchkeySystem

/// A run of another program, bounded in the bytes of its output and in time.
package enum ToolRun {
  package enum Result: Sendable, Hashable {
    case output(String)
    /// There is no such program.
    case absent
    /// The program failed or took too long; with the program's own message, if there is one.
    case failed(String)
  }

  /// The folders that are searched for programs, since an ordinary user's PATH omits some.
  private static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"]

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - name: The program's file name.
  ///   - arguments: The program's arguments.
  ///   - bytes: The largest number of bytes of its output that are read.
  ///   - seconds: The time limit.
  ///   - variables: Environment variables in addition to the path and the language.
  /// - Returns: The output, or that the program is absent or failed.
  package static func run(
    _ name: String, _ arguments: [String], bytes: Int = 4 << 20, seconds: Int = 3, variables: [String: String] = [:]
  ) -> Result {
    guard
      let path = folders.map({ (folder: String) -> String in "\(folder)/\(name)" }).first(where: {
        access($0, X_OK) == 0
      })
    else { return .absent }
    let surroundings = variables.merging(["LC_ALL": "C", "PATH": folders.joined(separator: ":")]) { $1 }
    var program: PipedProgram
    do { program = try PipedProgram(path: path, arguments: arguments, variables: surroundings) } catch {
      return .failed("it could not be started")
    }
    let texts = read(
      [program.output, program.talk], bytes: bytes, until: SystemClock.awake.milliseconds + Int64(seconds) * 1_000)
    guard let texts else { return .failed("it took too long or said too much") }
    // A program that has closed its output and continues is not waited for.
    guard let exit = program.wait(milliseconds: Int64(seconds) * 1_000) else { return .failed("it did not end") }
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
