import Foundation
import Glibc

/// Clocks that a test moves, of nodes that have loaded a library for that.
///
/// See Tests/ClockShift.
struct MovableClocks: Sendable {
  /// The times that can pass at once.
  private static let leaps = 15
  private let path: String

  init(_ lab: ProcessLab) throws {
    path = lab.newPath()
    try Data(count: 8 + Self.leaps * 24).write(to: URL(fileURLWithPath: path))
  }

  /// The environment variables that give a node and its agent these clocks.
  var variables: [String: String] {
    ["LD_PRELOAD": BuiltProgram.path(of: "libLatchkeyClockShift.so"), "LATCHKEY_CLOCKS": path]
  }

  /// Lets so many seconds pass at once, in which the machine is awake.
  func pass(_ seconds: Int64) throws {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw LabFault("The clocks are not there.") }
    defer { close(file) }
    func length(_ leap: Int) -> Int64 {
      var length: Int64 = 0
      return pread(file, &length, 8, 8 + leap * 24 + 8) == 8 ? length : 0
    }
    guard let leap = (0..<Self.leaps).first(where: { length($0) == 0 }) else { throw LabFault("No leap is left.") }
    var (at, span) = (UsedProgram.milliseconds(CLOCK_BOOTTIME) * 1_000_000, seconds * 1_000_000_000)
    // Its length last: it makes the leap count.
    guard pwrite(file, &at, 8, 8 + leap * 24) == 8, pwrite(file, &span, 8, 8 + leap * 24 + 8) == 8 else {
      throw LabFault("The clocks cannot be moved.")
    }
  }
}
