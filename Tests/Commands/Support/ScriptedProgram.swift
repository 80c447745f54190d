import LatchkeyModel

@testable import LatchkeyCommands

/// A program that ends at once with a status.
struct ScriptedProgram: RecordedProgram {
  var processID: Int32 = 77
  var processStartTime: UInt64 = 1_234
  var startedAt = BootInstant(milliseconds: 5_000)
  var startedAtWall: Int64 = SampleValues.now
  var exitStatus: Int32

  var end: ProgramEnd { ProgramEnd(exitStatus: exitStatus, at: startedAt + 250, atWall: startedAtWall + 250) }

  func waitUntilEnd() async throws -> ProgramEnd { end }
}
