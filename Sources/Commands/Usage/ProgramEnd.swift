import LatchkeyModel

/// How a recorded program ended.
struct ProgramEnd: Hashable, Sendable {
  /// The program's own exit status, or 128 and the number of the signal that ended it.
  var exitStatus: Int32
  var at: BootInstant
  /// Unix milliseconds.
  var atWall: Int64
}
