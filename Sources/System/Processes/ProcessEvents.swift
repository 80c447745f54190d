import CProcess
import Glibc

/// The kernel's events about processes, if it provides them to this process (Protocol/13-agent.md
/// §10).
public final class ProcessEvents: Sendable {
  public enum Event: Hashable, Sendable {
    case started(Int32)
    /// A process began as a copy of another one, without starting another program.
    ///
    /// Only reported on request.
    case forked(Int32, of: Int32)
    case lost
  }

  /// The size of the kernel's buffer for events in bytes, which holds some 20,000 events.
  private static let bufferBytes: Int32 = 16 << 20
  /// The time within which the event of `tested`'s own program must come, in milliseconds.
  private static let probeMilliseconds: Int32 = 2_000

  public let descriptor: Int32

  /// Subscribes to the kernel's events; `nil` if the kernel refuses.
  ///
  /// Success does not prove that events arrive: see `deliver(_:within:)`.
  public init?() {
    let descriptor = latchkey_events_open(Self.bufferBytes)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  /// Returns the kernel's events; `nil` if no event reports the start of a program that this
  /// function starts.
  public static func tested() -> ProcessEvents? {
    guard let events = ProcessEvents(), events.deliver(ProgramSpawn.probe, within: probeMilliseconds) else {
      return nil
    }
    return events
  }

  deinit { close(descriptor) }

  /// Turns reports of copies on or off; they are off at first.
  public func reportForks(_ isWanted: Bool) { latchkey_events_select(descriptor, isWanted ? 1 : 0) }

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

  /// Returns whether events arrive, tested by starting a program of our own.
  ///
  /// `start` starts the program and returns its number. Events about other programs prove nothing.
  public func deliver(_ start: () -> Int32?, within milliseconds: Int32) -> Bool {
    guard let expected = start() else { return false }
    let end = SystemClock.boot.milliseconds + Int64(milliseconds)
    while true {
      while let event = next() { if event == .started(expected) { return true } }
      let left = end - SystemClock.boot.milliseconds
      guard left > 0 else { return false }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, Int32(left))
    }
  }
}
