import Synchronization
import Testing

@testable import LatchkeyNode

@Suite struct FirstLooksTests {
  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test func peersWaitForAllLooks() async {
    let looks = FirstLooks([.answers, .rules], patience: 60_000)
    let isLast = Flag()
    async let wasLast = {
      await looks.wait()
      return isLast.isSet.load(ordering: .sequentiallyConsistent)
    }()
    looks.made(.answers)
    looks.made(.answers)
    isLast.isSet.store(true, ordering: .sequentiallyConsistent)
    looks.made(.rules)
    #expect(await wasLast)
  }

  @Test func peersDoNotWaitForLooksThatAreNotMadeInTime() async {
    await FirstLooks([.answers, .rules], patience: 0).wait()
  }

  @Test func aParentsMachineWaitsForNothing() async {
    await FirstLooks([], patience: 60_000).wait()
  }
}
