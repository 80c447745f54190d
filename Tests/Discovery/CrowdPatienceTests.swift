import Testing

@testable import LatchkeyDiscovery

struct CrowdPatienceTests {
  @Test func aFewAreNoCrowd() {
    #expect(!CrowdPatience.isCrowd(0) && !CrowdPatience.isCrowd(8))
    #expect(CrowdPatience.isCrowd(9))
  }

  /// Those that were switched on in one moment are spread; the first pause is the shorter one.
  @Test func pausesAreSpread() {
    var patience = CrowdPatience()
    #expect(patience.pause(jitter: 0) == .seconds(15))
    #expect(patience.pause(jitter: 0) == .seconds(60))
    #expect(patience.pause(jitter: 1) == .seconds(120))
    patience = CrowdPatience()
    #expect(patience.spread(jitter: 0) == .zero && patience.spread(jitter: 1) == .seconds(3))
    #expect(patience.pause(jitter: 1) == .seconds(60))
  }
}
