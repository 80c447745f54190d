import LatchkeySystem
import Testing

@testable import LatchkeyDiscovery

struct AnnouncerTests {
  private final class Log {
    var renamed: [Announcement] = []
    var problems: [String] = []
    var successes = 0
  }

  private let responder = FakeResponder()
  private let log = Log()
  private let loop: DiscoveryLoop
  private let announcer: Announcer

  init() throws {
    loop = try DiscoveryLoop()
    announcer = Announcer(
      responder: responder, loop: loop, type: "_latchkey._tcp", interfaces: [.eth0, .wlan0],
      onRename: { [log] in log.renamed.append($0) }, onProblem: { [log] in log.problems.append($0) },
      onSuccess: { [log] in log.successes += 1 })
  }

  private func announcement(_ name: String = "abcdefgh") -> Announcement {
    Announcement(ServiceAdvertisement(instanceName: name, port: 4000, text: ["n": [1]]), after: nil)
  }

  /// Other values under the names of what is announced now.
  private func again(value: UInt8, port: UInt16 = 4000) -> Announcement {
    var next = announcement()
    next.hostLabel = String(services[0].host.prefix(8))
    next.advertisement.port = port
    next.advertisement.text = ["n": [value]]
    return next
  }

  private var services: [FakeResponder.Group] { responder.live.filter { $0.name != nil } }

  /// Lets the loop run until a condition holds; its timers are the only thing in it.
  private func turn(until condition: @escaping () -> Bool) {
    loop.schedule(after: .zero) { [loop] in Self.check(condition, loop) }
    _ = loop.run()
  }

  private static func check(_ condition: @escaping () -> Bool, _ loop: DiscoveryLoop) {
    if condition() { return loop.quit() }
    loop.schedule(after: .milliseconds(5)) { check(condition, loop) }
  }

  @Test func eachInterfaceAnnouncesItsOwnAddresses() {
    announcer.announce(announcement())
    let (wired, wireless) = (NetworkInterface.eth0.addresses, NetworkInterface.wlan0.addresses)
    #expect(responder.live.map(\.addresses) == [wired, [], wireless, []])
    #expect(services.count == 2)
    #expect(Set(responder.live.map(\.host)).count == 1)
    #expect(services[0].host.wholeMatch(of: /[0-9a-z]{8}\.local/) != nil)
  }

  @Test func newPairsLeaveTheAnnouncementInPlace() {
    announcer.announce(announcement())
    let before = responder.groups.count
    announcer.announce(again(value: 2))
    #expect(responder.groups.count == before)
    #expect(services.map(\.text) == [[Array("n=\u{2}".utf8)], [Array("n=\u{2}".utf8)]])
    announcer.announce(again(value: 2, port: 5000))
    #expect(services.map(\.port) == [5000, 5000])
    #expect(responder.live.count == 4)
  }

  @Test func aNewInstanceNameBringsANewHostName() {
    announcer.announce(announcement())
    let host = services[0].host
    announcer.announce(announcement("zzzzzzzz"))
    #expect(services.map(\.name) == ["zzzzzzzz", "zzzzzzzz"])
    #expect(services[0].host != host)
    announcer.announce(nil)
    #expect(responder.live.isEmpty)
    announcer.announce(announcement("zzzzzzzz"))
    #expect(services.count == 2)
  }

  @Test func newAddressesLeaveTheServiceInPlace() throws {
    announcer.announce(announcement())
    let before = services.map(ObjectIdentifier.init)
    var moved = NetworkInterface.eth0
    moved.subnets = [Subnet(try #require(IPAddress("192.168.7.7")), prefix: 24)]
    announcer.update([moved, .wlan0])
    #expect(services.map(ObjectIdentifier.init) == before)
    #expect(Set(responder.live.map(\.addresses)) == [moved.addresses, NetworkInterface.wlan0.addresses, []])
    #expect(responder.groups.count == 5)
  }

  @Test func aCollisionIsAnsweredOnceWithNewNames() {
    announcer.announce(announcement())
    let host = services[0].host
    for group in services { group.report(.collision) }
    #expect(log.renamed.count == 1)
    let name = log.renamed.first?.advertisement.instanceName
    #expect(name != "abcdefgh")
    #expect(responder.live.isEmpty)
    turn { !services.isEmpty }
    #expect(services.map(\.name) == [name, name])
    #expect(services[0].host != host)
  }

  @Test func aCollisionOfTheHostNameKeepsTheInstance() {
    announcer.announce(announcement())
    let host = services[0].host
    responder.live[0].report(.collision)
    turn { !services.isEmpty }
    #expect(log.renamed.map(\.advertisement.instanceName) == ["abcdefgh"])
    #expect(log.renamed.first?.host == services[0].host)
    #expect(services[0].name == "abcdefgh")
    #expect(services[0].host != host)
  }

  @Test func aRefusalIsReportedAndTriedAgain() {
    responder.refusal = AvahiError(-50)
    announcer.announce(announcement())
    #expect(log.problems.count == 1)
    #expect(responder.live.isEmpty)
    responder.refusal = nil
    turn { !services.isEmpty }
    services[0].report(.established)
    #expect(log.successes == 1)
  }

  @Test(arguments: [
    ServiceAdvertisement(instanceName: "", port: 1, text: [:]),
    ServiceAdvertisement(instanceName: String(repeating: "x", count: 64), port: 1, text: [:]),
    ServiceAdvertisement(instanceName: "abcdefgh", port: 0, text: [:]),
    ServiceAdvertisement(instanceName: "abcdefgh", port: 1, text: ["k": [UInt8](repeating: 0, count: 300)]),
  ])
  func whatCannotBeAnnouncedIsReported(advertisement: ServiceAdvertisement) {
    announcer.announce(Announcement(advertisement, after: nil))
    #expect(log.problems.count == 1)
    #expect(responder.groups.isEmpty)
  }

  @Test func aHostNameLivesAsLongAsItsInstanceName() {
    let first = announcement()
    var changed = first.advertisement
    changed.port = 5000
    #expect(Announcement(changed, after: first).hostLabel == first.hostLabel)
    changed.instanceName = "zzzzzzzz"
    #expect(Announcement(changed, after: first).hostLabel != first.hostLabel)
    #expect(Announcement(first.advertisement, after: nil).hostLabel != first.hostLabel)
  }
}
