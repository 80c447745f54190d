import LatchkeyModel
import Testing

/// The names of the back ends in the local API, and what a person reads.
@Suite struct DiscoveryBackendTests {
  @Test func theNamesAreThoseOfTheSpecification() {
    #expect(DiscoveryBackend.allCases.map(\.rawValue) == ["starting", "avahi-daemon", "embedded", "static"])
    #expect(DiscoveryBackend.allCases.filter(\.isLooking) == [.avahiDaemon, .embedded])
  }

  @Test func aPersonReadsASentence() {
    #expect(DiscoveryBackend.sentence(of: "avahi-daemon") == "Finds machines through avahi-daemon")
    let reason = "No network interface is suited for discovery."
    #expect(DiscoveryBackend.sentence(of: reason) == reason)
  }
}
