import Foundation
import Glibc

/// The process's own standard streams.
struct TerminalConsole: Console {
  /// Bytes that a line of input may have; what is longer is cut.
  private static let lineBytes = 4_096

  var inputIsTerminal: Bool { isatty(STDIN_FILENO) != 0 }
  var outputIsTerminal: Bool { isatty(STDOUT_FILENO) != 0 }

  func write(_ text: String) throws(CommandFailure) {
    guard let errorNumber = Self.writeAll(text, to: STDOUT_FILENO) else { return }
    // A reader that has seen enough, such as `head`, is no fault to talk about.
    if errorNumber == EPIPE { throw CommandFailure(.inputOutput) }
    throw CommandFailure(
      .inputOutput,
      "The output could not be written (\(String(cString: strerror(errorNumber)))): make room or choose another place.")
  }

  func note(_ text: String) {
    _ = Self.writeAll(text + "\n", to: STDERR_FILENO)
  }

  func prompt(_ text: String) {
    _ = Self.writeAll(text, to: STDERR_FILENO)
  }

  /// Give the `errno` of a failure; nil for none.
  private static func writeAll(_ text: String, to descriptor: Int32) -> Int32? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN {
          var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waited, 1, -1)
          continue
        }
        return errno
      }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  func readLine() async -> String? {
    // A read blocks its thread, so it gets one of its own; looking up every 100 ms lets a cancelled question end.
    let asked = InputRequest()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: Self.readLine(while: asked)) }.start()
      }
    } onCancel: {
      asked.cancel()
    }
  }

  private static func readLine(while asked: InputRequest) -> String? {
    var line: [UInt8] = []
    while asked.isWanted {
      var waited = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&waited, 1, 100) > 0 else { continue }
      var byte: UInt8 = 0
      // One byte at a time, so that what follows the line stays for whoever reads next.
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      if line.count < lineBytes { line.append(byte) }
    }
    return nil
  }

  func interrupts() -> AsyncStream<Void> {
    AsyncStream { continuation in
      let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        return SignalWatch(source: source, number: number)
      }
      continuation.onTermination = { _ in
        for watch in sources { watch.stop() }
      }
    }
  }
}
