import CProcess
import Glibc

/// The kernel's events about processes, where it gives them to this one.
///
/// Spec: Protocol/13-agent.md §10.
public struct ProcessEvents: ~Copyable, Sendable {
  /// What happened to a process.
  public enum Event: Hashable, Sendable {
    case started(Int32)
    /// A process began as a copy of another one, without another program; where this was asked for.
    case forked(Int32, of: Int32)
    case lost
  }

  /// The bytes of events that the kernel keeps for this process: those of some 20,000.
  private static let bufferBytes: Int32 = 16 << 20

  public let descriptor: Int32

  /// Asks the kernel for events; `nil` where it refuses.
  ///
  /// That it does not refuse does not show that events come: see `deliver(_:within:)`.
  public init?() {
    let descriptor = latchkey_events_open(Self.bufferBytes)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Has copies of processes reported from now on, or not any more; at first they are not.
  public func reportForks(_ isWanted: Bool) { latchkey_events_select(descriptor, isWanted ? 1 : 0) }

  /// Returns the next event; `nil` if there is none now.
  public func next() -> Event? {
    while true {
      var (process, parent): (pid_t, pid_t) = (0, 0)
      switch latchkey_events_next(descriptor, &process, &parent) {
      case 1: return .started(process)
      case 2: return .forked(process, of: parent)
      case 0: continue
      default:
        if errno == EINTR { continue }
        return errno == ENOBUFS ? .lost : nil
      }
    }
  }

  /// Returns whether events come, which the start of a program of our own shows.
  ///
  /// `start` starts it and returns its number. What others send, or start, proves nothing.
  public func deliver(_ start: () -> Int32?, within milliseconds: Int32) -> Bool {
    guard let expected = start() else { return false }
    let end = SystemClock.boot.milliseconds + Int64(milliseconds)
    while true {
      while let event = next() {
        if event == .started(expected) { return true }
      }
      let left = end - SystemClock.boot.milliseconds
      guard left > 0 else { return false }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, Int32(left))
    }
  }
}
