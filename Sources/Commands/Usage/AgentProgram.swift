import LatchkeyAgent
import LatchkeyModel

/// SEAM: to be written against the agent's `TrackedProgram`.
struct AgentProgram: RecordedProgram {
  var processID: Int32 { 0 }
  var processStartTime: UInt64 { 0 }
  var startedAt: BootInstant { BootInstant(milliseconds: 0) }
  var startedAtWall: Int64 { 0 }

  init(arguments: [String]) throws {
    throw CommandFailure(.internalFault, "Not built yet: wait for the agent.")
  }

  func waitUntilEnd() async throws -> ProgramEnd { throw CancellationError() }
}
