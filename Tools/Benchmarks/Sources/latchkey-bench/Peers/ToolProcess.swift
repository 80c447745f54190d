import Foundation
import Glibc

/// Another project's program, whose output is read as it comes.
final class ToolProcess {
  private let process = Process()
  private let input = Pipe()
  private let output: FileHandle
  private var text = ""

  /// Starts a program in its home `folder`; with `onTerminal`, on a terminal, for programs that
  /// buffer output to a pipe.
  init(_ path: String, _ arguments: [String], folder: String, onTerminal: Bool = false) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else { throw BenchFault("\(path) is not there.") }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONUNBUFFERED": "1", "HOME": folder, "LC_ALL": "C.UTF-8"]
    ) { $1 }
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    if onTerminal {
      let terminal = try Self.terminal()
      output = terminal.reading
      process.standardOutput = terminal.writing
      try process.run()
      try terminal.writing.close()
    } else {
      let pipe = Pipe()
      output = pipe.fileHandleForReading
      process.standardOutput = pipe
      try process.run()
    }
  }

  /// Returns a terminal that leaves what is written to it unchanged.
  private static func terminal() throws -> (reading: FileHandle, writing: FileHandle) {
    let reading = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: CInt = 0
    // TIOCSPTLCK unlocks the other end, TIOCGPTPEER opens it.
    guard reading >= 0, ioctl(reading, 0x4004_5431, &lock) == 0 else {
      throw BenchFault("No terminal can be made: \(String(cString: strerror(errno))).")
    }
    let writing = ioctl(reading, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard writing >= 0 else { throw BenchFault("No terminal can be opened: \(String(cString: strerror(errno))).") }
    var settings = termios()
    tcgetattr(writing, &settings)
    cfmakeraw(&settings)
    tcsetattr(writing, TCSANOW, &settings)
    return (
      FileHandle(fileDescriptor: reading, closeOnDealloc: true),
      FileHandle(fileDescriptor: writing, closeOnDealloc: true)
    )
  }

  func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  /// Reads until the output so far satisfies `condition`; returns `false` if the output ends
  /// before.
  func read(until condition: (String) -> Bool) -> Bool {
    while !condition(text) {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      // A terminal whose other end is closed reports an error, where a pipe ends.
      let count = Glibc.read(output.fileDescriptor, &bytes, bytes.count)
      guard count > 0 else { return false }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return true
  }

  /// Waits until it ends on its own.
  func finish() {
    try? input.fileHandleForWriting.close()
    _ = read { _ in false }
    process.waitUntilExit()
  }

  /// Ends it with SIGKILL.
  ///
  /// avahi-browse continues after SIGTERM while it waits for a resolver.
  func stop() {
    kill(process.processIdentifier, SIGKILL)
    finish()
  }
}
