import Glibc
import Testing

@testable import LatchkeyNode

/// A look at this machine's addresses that the kernel refuses.
@Suite struct FailedLookTests {
  /// A process with too many open files gets no list of addresses: that must not count as a machine
  /// without any.
  @Test func aLookThatIsRefusedSaysNothingOfTheAddresses() throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    try #require(getrlimit(resource, &limit) == 0)
    var none = limit
    none.rlim_cur = 0
    try #require(setrlimit(resource, &none) == 0)
    let refused = OwnNetwork.current(interfaces: nil)
    try #require(setrlimit(resource, &limit) == 0)
    #expect(refused == nil)
    #expect(OwnNetwork.current(interfaces: nil)?.all.contains("127.0.0.1") == true)
  }
}
