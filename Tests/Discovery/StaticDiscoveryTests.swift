import Testing

@testable import LatchkeyDiscovery

struct StaticDiscoveryTests {
  @Test func itReportsItsStateAndEndsWhenCancelled() async {
    let discovery = StaticDiscovery()
    let running = Task { await discovery.run() }
    await discovery.advertise(ServiceAdvertisement(instanceName: "abcdefgh", port: 1, text: [:]))
    var events: [DiscoveryEvent] = []
    for await event in discovery.events {
      events.append(event)
      running.cancel()
    }
    await running.value
    #expect(events == [.state(.running(.fixed))])
  }

  @Test func namesAreRandom() {
    let names = Set((0..<100).map { _ in RandomLabel.make() })
    #expect(names.count == 100)
    #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-z]{8}/) != nil })
  }
}
