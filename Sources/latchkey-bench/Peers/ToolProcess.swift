import Foundation

/// A program of somebody else's, with its output read as it comes.
final class ToolProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  /// Start it.
  ///
  /// - Parameter folder: where it runs, and its home.
  init(_ path: String, _ arguments: [String], folder: String) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else { throw BenchFault("\(path) is not there.") }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONUNBUFFERED": "1", "HOME": folder, "LC_ALL": "C.UTF-8"]
    ) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  /// Read until the output so far satisfies `condition`; false when it ended without that.
  func read(until condition: (String) -> Bool) -> Bool {
    while !condition(text) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return false }
      text += String(decoding: more, as: UTF8.self)
    }
    return true
  }

  /// Wait for its end by itself.
  func finish() {
    try? input.fileHandleForWriting.close()
    _ = read { _ in false }
    process.waitUntilExit()
  }

  func stop() {
    process.terminate()
    finish()
  }
}
