import Testing

@testable import LatchkeyDiscovery

struct RandomLabelTests {
  @Test func namesAreRandom() {
    let names = Set((0..<100).map { _ in RandomLabel.make() })
    #expect(names.count == 100)
    #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-z]{8}/) != nil })
  }
}
