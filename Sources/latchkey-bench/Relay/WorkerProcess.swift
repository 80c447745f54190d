import Foundation
import LatchkeyModel

/// One node in a process of its own, driven by lines on its standard input and output.
final class WorkerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  init(role: DeviceRole, folder: String) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["worker", role.rawValue, folder]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Read the line that begins with `word`, and give the rest of it.
  func read(_ word: String) throws -> String {
    while true {
      while let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[buffer.index(after: end)...])
        if line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failure(description: "The \(word) line did not come: the worker has ended.") }
      buffer += more
    }
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
