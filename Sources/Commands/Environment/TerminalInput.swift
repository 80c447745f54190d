import Foundation
import Glibc
import Synchronization

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
          // Stopped or ended so, the program would leave a terminal behind that shows nothing.
          characters[Int(VSUSP)] = 0
          characters[Int(VQUIT)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
      }
    }
  }
}

/// A request for a line of input, which may be withdrawn.
final class InputRequest: Sendable {
  private let cancelled = Atomic(false)

  var isWanted: Bool { !cancelled.load(ordering: .acquiring) }

  func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// A signal that is watched instead of ending the process.
///
/// `DispatchSourceSignal` is not marked as `Sendable`. Sending it is safe here, because only its
/// `cancel` is called, which Dispatch permits from any thread.
struct SignalWatch: @unchecked Sendable {
  let source: any DispatchSourceSignal
  let number: Int32

  /// Restores the default effect of the signal, which ends the process.
  func stop() {
    source.cancel()
    signal(number, SIG_DFL)
  }
}
