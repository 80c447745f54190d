import LatchkeyAgent
import LatchkeyModel

/// Compares what a caller says of a program with what the kernel says. Spec: Protocol/06-messages.md §5.
struct UsageStartCheck {
  let request: UsageStartRequest
  /// The user who asks.
  let user: UInt32
  /// The process of the number that the caller gave; `nil` if there is none.
  let process: RunningProcess?
  let now: BootInstant
  /// Unix milliseconds.
  let wall: Int64

  /// A tick of the kernel's start times, and what a caller may have rounded up, in milliseconds.
  private static let tick: Int64 = 10
  /// How far apart two readings of the wall clock may be that are taken for one, in milliseconds: it may be set between them.
  private static let wallTolerance: Int64 = 60_000

  /// Returns the first thing that is wrong, or `nil` if nothing is.
  var fault: LocalAPIError? {
    // Process 1 starts the machine, or the container; no program that a person uses has its number.
    guard let process, process.identity.processID > 1, process.identity.startTime == request.processStartTime else {
      return LocalAPIError(
        .invalid,
        "No program with this process number and start time runs: start the program with `latchkey usage track`.")
    }
    guard process.userID == user else {
      return LocalAPIError(
        .forbidden, "The program belongs to another user: run `latchkey usage track` as the user who uses it.")
    }
    guard request.startedAt.milliseconds <= now.milliseconds + Self.tick else {
      return LocalAPIError(.invalid, "The session starts in the future: give the present reading of CLOCK_BOOTTIME.")
    }
    guard request.startedAt >= process.startedAt else {
      return LocalAPIError(
        .invalid, "The session starts before its program did: give a reading of CLOCK_BOOTTIME from after its start.")
    }
    let expected = wall - (now - request.startedAt)
    guard (expected - Self.wallTolerance...expected + Self.wallTolerance).contains(request.startedAtWall) else {
      return LocalAPIError(
        .invalid, "The session starts at an impossible time: give the time by this machine's own clock.")
    }
    return nil
  }
}
