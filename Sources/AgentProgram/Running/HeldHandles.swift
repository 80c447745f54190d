import Glibc
import LatchkeyModel
import LatchkeySystem

/// The descriptors of the followed programs, which signal their ends and through which signals are
/// sent to them.
struct HeldHandles {
  private final class Held {
    let handle: ProcessHandle
    init?(_ process: ProcessIdentity, seenAt: BootInstant?) {
      guard let handle = ProcessHandle(process, seenAt: seenAt) else { return nil }
      self.handle = handle
    }
  }

  private var held: [ProcessIdentity: Held] = [:]
  /// The most descriptors that are held.
  ///
  /// Other files must remain available for scans.
  private let most = min(1_024, Int(clamping: sysconf(Int32(_SC_OPEN_MAX))) / 2)

  /// The descriptors, which are ready when their processes have ended.
  var descriptors: [(process: ProcessIdentity, descriptor: Int32)] {
    held.map { ($0.key, $0.value.handle.descriptor) }
  }

  /// Keeps a descriptor of a process to observe its end, unless it has ended or too many are kept.
  ///
  /// `seenAt` is a reading of the clock from before the process was seen with its start time.
  mutating func hold(_ process: ProcessIdentity, seenAt: BootInstant? = nil) {
    if held[process] == nil, held.count < most { held[process] = Held(process, seenAt: seenAt) }
  }

  mutating func forget(_ process: ProcessIdentity) { held[process] = nil }

  /// Sends a signal to a process, if its number has not been reused, and holds its descriptor.
  mutating func signal(_ process: ProcessIdentity, _ number: Int32, seenAt: BootInstant?) {
    hold(process, seenAt: seenAt)
    if let held = held[process] {
      held.handle.send(signal: number)
    } else if let handle = ProcessHandle(process, seenAt: seenAt) {
      handle.send(signal: number)
    }
  }
}
