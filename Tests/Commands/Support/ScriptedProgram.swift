import LatchkeyModel

@testable import LatchkeyCommands

/// A program that ends at once with a status.
struct ScriptedProgram: RecordedProgram {
  var processID: Int32 = 77
  var processStartTime: UInt64 = 1_234
  var startedAt = BootInstant(milliseconds: 5_000)
  var startedAtWall: Int64 = SampleValues.now
  var exitStatus: Int32

  func waitUntilEnd() async throws -> Int32 { exitStatus }
}
