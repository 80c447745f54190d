import Foundation
import Glibc
import Synchronization

/// The process's own standard streams.
struct TerminalConsole: Console {
  var inputIsTerminal: Bool { isatty(STDIN_FILENO) != 0 }
  var outputIsTerminal: Bool { isatty(STDOUT_FILENO) != 0 }
  var talkIsTerminal: Bool { isatty(STDERR_FILENO) != 0 }

  var size: TerminalSize {
    var size = winsize()
    for descriptor in [STDERR_FILENO, STDOUT_FILENO]
    where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 {
      return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
    return .usual
  }

  func write(_ text: String) throws(TerminalFailure) {
    guard let errorNumber = Self.writeAll(text, to: STDOUT_FILENO) else { return }
    // A reader that has seen enough, such as `head`, is no fault to talk about.
    if errorNumber == EPIPE { throw TerminalFailure(.inputOutput) }
    throw TerminalFailure(
      .inputOutput,
      "The output could not be written (\(String(cString: strerror(errorNumber)))): make room or choose another place.")
  }

  func note(_ text: String) {
    // Only where a person reads it: a program gets the sentence as one line.
    let shown = talkIsTerminal ? WrappedText.words(text, columns: size.columns) : text
    _ = Self.writeAll(shown + "\n", to: STDERR_FILENO)
  }

  func prompt(_ text: String) { _ = Self.writeAll(text, to: STDERR_FILENO) }

  func draw(_ text: String) { _ = Self.writeAll(text, to: STDERR_FILENO) }

  func setInput(_ input: TerminalInput) { input.apply() }

  func forgetInput() { if inputIsTerminal { tcflush(STDIN_FILENO, TCIFLUSH) } }

  /// Writes a text and returns the `errno` of a failure; `nil` on success.
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

  func readLine() async -> String? { await Self.reading(Self.readLine) }

  func readKeys() async -> [UInt8]? { await Self.reading(Self.readKeys) }

  // A read blocks its thread, so it gets one of its own; looking up every 100 ms lets a cancelled
  // question end.
  private static func reading<Value: Sendable>(_ read: @escaping @Sendable (InputRequest) -> Value?) async -> Value? {
    let asked = InputRequest()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in Thread { continuation.resume(returning: read(asked)) }.start() }
    } onCancel: {
      asked.cancel()
    }
  }

  private static func readLine(_ asked: InputRequest) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    // One byte at a time, so that the input after the line remains for the next reader.
    while let count = readSome(asked, &byte, 1) {
      guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      // The rest is cut off.
      if line.count < LineEditor.lineBytes { line.append(byte) }
    }
    return nil
  }

  private static func readKeys(_ asked: InputRequest) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: LineEditor.lineBytes)
    guard let count = readSome(asked, &bytes, bytes.count), count > 0 else { return nil }
    return Array(bytes.prefix(count))
  }

  /// Reads bytes and returns their number, 0 at the end; `nil` if they are no longer wanted.
  private static func readSome(_ asked: InputRequest, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int? {
    while asked.isWanted {
      var waited = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      // Input after the question was withdrawn belongs to the next question.
      guard poll(&waited, 1, 100) > 0, asked.isWanted else { continue }
      let count = read(STDIN_FILENO, buffer, size)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      return max(0, count)
    }
    return nil
  }

  // A closed terminal ends the command, unless the process was started with SIGHUP ignored.
  func interrupts() -> AsyncStream<Void> { watch([SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])) }

  private static func isIgnored(_ number: Int32) -> Bool {
    var present = sigaction()
    guard sigaction(number, nil, &present) == 0 else { return false }
    return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  func resizes() -> AsyncStream<Void> { watch([SIGWINCH]) }

  private func watch(_ numbers: [Int32]) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let sources = numbers.map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        return SignalWatch(source: source, number: number)
      }
      continuation.onTermination = { _ in for watch in sources { watch.stop() } }
    }
  }
}

/// The way in which the terminal delivers input.
enum TerminalInput: Hashable, Sendable {
  /// Whole lines, shown and mended by the terminal itself.
  case lines
  /// Bytes as they come, not shown; Ctrl-C works, and stopping the program with Ctrl-Z does not.
  case keys
  /// Whole lines that are not shown; Ctrl-C works, and stopping the program with Ctrl-Z does not.
  case hidden

  /// The settings of the terminal before the first change.
  private static let before = Mutex<termios?>(nil)

  /// Applies the mode to the terminal on standard input; does nothing if there is none.
  func apply() {
    Self.before.withLock { before in
      switch self {
      case .lines:
        guard var settings = before else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        before = nil
      case .keys, .hidden:
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        if before == nil { before = settings }
        settings.c_lflag &= ~tcflag_t(self == .keys ? ICANON | ECHO : ECHO)
        let isKeys = self == .keys
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
          if isKeys { (characters[Int(VMIN)], characters[Int(VTIME)]) = (1, 0) }
          // A program that was stopped so would leave a terminal behind that shows nothing.
          characters[Int(VSUSP)] = 0
          characters[Int(VQUIT)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
      }
    }
  }
}

/// A request for a line of input, which may be withdrawn.
private final class InputRequest: Sendable {
  private let cancelled = Atomic(false)

  var isWanted: Bool { !cancelled.load(ordering: .acquiring) }

  func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// A signal that is watched instead of ending the process.
///
/// `DispatchSourceSignal` is not marked as `Sendable`. Sending it is safe here, because only its
/// `cancel` is called, which Dispatch permits from any thread.
private struct SignalWatch: @unchecked Sendable {
  let source: any DispatchSourceSignal
  let number: Int32

  /// Restores the default effect of the signal, which ends the process.
  func stop() {
    source.cancel()
    signal(number, SIG_DFL)
  }
}
