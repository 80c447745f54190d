import Foundation
import Glibc

/// A program that reads lines from its standard input and answers with lines.
final class LineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let name: String
  private var buffer = Data()
  /// The milliseconds after which the program counts as silent.
  private static let patience: CInt = 600_000

  init(_ path: String, _ arguments: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else { throw BenchFault("\(path) is not there.") }
    name = URL(fileURLWithPath: path).lastPathComponent
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// The process ID, for the kernel's counts.
  var id: Int32 { process.processIdentifier }

  func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Reads the line that begins with `word`, and returns the rest of its words.
  ///
  /// - Throws: `BenchFault` if the program ends or prints nothing for ten minutes.
  func read(_ word: String) throws -> [Substring] {
    while true {
      while let end = buffer.firstIndex(of: 10) {
        let words = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self).split(separator: " ")
        buffer = Data(buffer[buffer.index(after: end)...])
        if words.first.map(String.init) == word { return Array(words.dropFirst()) }
      }
      var ready = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Self.patience) != 0 else {
        throw BenchFault("\(name) has not said “\(word)” within \(Self.patience / 60_000) minutes.")
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw BenchFault("\(name) has ended before it said “\(word)”.") }
      buffer += more
    }
  }

  /// Closes its input, which makes it end, and waits for that.
  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Ends it with SIGKILL.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    end()
  }
}
