import LatchkeyModel
import LatchkeySystem

/// The comparison of a caller's statement about a program with the kernel's.
///
/// Spec: Protocol/06-messages.md §5.
struct UsageStartCheck {
  let request: UsageStartRequest
  /// The user ID of the caller.
  let user: UInt32
  /// The process with the number that the caller gave; `nil` if there is none.
  let process: RunningProcess?
  let now: BootInstant
  /// The time in Unix milliseconds.
  let wall: Int64

  /// A tick of the kernel's start times, by which a caller may have rounded up, in milliseconds.
  private static let tick: Int64 = 10
  /// The largest difference between two readings of the wall clock that count as the same, in
  /// milliseconds.
  ///
  /// The clock may be set in between.
  private static let wallTolerance: Int64 = 60_000

  /// The first fault of the request; `nil` if there is none.
  var fault: LocalAPIError? {
    // Process 1 starts the machine or the container, and is never a program that a person uses.
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
