import Testing

/// The simulator is worth as much as its model of the store is true: both are asked for the same, at random, and have to
/// answer the same and to hold the same after every step.
@Suite struct StoreDifferenceTests {
  @Test(arguments: UInt64(1)...30)
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
