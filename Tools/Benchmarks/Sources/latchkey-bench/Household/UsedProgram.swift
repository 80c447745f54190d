import Foundation
import Glibc
import LatchkeyModel

/// An idle program whose use is recorded.
final class UsedProgram {
  private let process = Process()

  init() throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sleep")
    process.arguments = ["600"]
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Returns the request to record the program from now on.
  func request(_ app: String) throws -> UsageStartRequest {
    let id = process.processIdentifier
    let stat = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    // The fields after the name, which may hold any character, from the third on.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst()
    guard let startTime = fields.dropFirst(19).first.flatMap({ UInt64($0) }) else {
      throw BenchFault("The kernel does not say when a program has begun.")
    }
    return UsageStartRequest(
      appID: app, processID: id, processStartTime: startTime,
      startedAt: BootInstant(milliseconds: Durations.now() / 1_000),
      startedAtWall: Int64(Date().timeIntervalSince1970 * 1_000), zone: "UTC")
  }

  /// Ends the program at once, if it still runs.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
