import LatchkeyTestSupport
import Testing

/// Tests that compare the real store with the simulator's model of it.
///
/// Both get the same random operations, and must give the same answers and hold the same content
/// after every step.
@Suite struct StoreDifferenceTests {
  @Test(arguments: UInt64(1)...Length.pick(4, thorough: 30))
  func theModelDoesWhatTheStoreDoes(seed: UInt64) async throws {
    let pair = try StorePair(seed: seed)
    if let difference = await pair.begin() {
      Issue.record("at the beginning: \(difference)")
      return
    }
    var last = "the beginning"
    for step in 0..<100 {
      if let difference = try await pair.difference() {
        Issue.record("after step \(step), \(last): \(difference)")
        return
      }
      let (what, difference) = try await pair.step()
      last = what
      if let difference {
        Issue.record("step \(step): \(difference)")
        return
      }
    }
  }
}
