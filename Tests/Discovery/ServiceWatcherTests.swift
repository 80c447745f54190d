import LatchkeySystem
import Synchronization
import Testing

@testable import LatchkeyDiscovery

struct ServiceWatcherTests {
  private final class Log {
    var facts: [ServiceObservation] = []
  }

  private let responder = FakeResponder()
  private let log = Log()
  private let key = SightingKey(instanceName: "abcdefgh", interfaceIndex: 2)

  private func makeWatcher() throws -> ServiceWatcher {
    try ServiceWatcher(responder: responder, type: "_latchkey._tcp", interfaces: [.eth0, .wlan0]) { [log] in
      log.facts.append($0)
    }
  }

  private func see(_ name: String = "abcdefgh", over packetProtocol: Int32, appeared: Bool = true) {
    responder.browsers[0].service(
      ServiceSighting(instanceName: name, interface: 2, packetProtocol: packetProtocol, appeared: appeared))
  }

  @Test func twoIPVersionsAreOneSighting() throws {
    let watcher = try makeWatcher()
    #expect(responder.browsers.map(\.interface) == [2, 3])
    see(over: 0)
    see(over: 1)
    #expect(responder.resolvers.count == 1)
    responder.resolvers[0].resolved(ResolvedService(host: "h.local", port: 4000, text: [Array("v=1".utf8)]))
    #expect(log.facts == [.resolved(key, host: "h.local", port: 4000, text: ["v": [0x31]])])
    #expect(responder.records.map(\.type) == [1, 28, 16])
    // The version over which it was resolved goes: the other is asked.
    see(over: 0, appeared: false)
    #expect(responder.resolvers.map(\.isClosed) == [true, false])
    #expect(responder.resolvers[1].type == 1)
    see(over: 1, appeared: false)
    #expect(log.facts.last == .withdrawn(key))
    #expect(responder.resolvers.allSatisfy { $0.isClosed })
    #expect(responder.records.allSatisfy { $0.isClosed })
    watcher.close()
    #expect(responder.browsers.allSatisfy { $0.isClosed })
  }

  @Test func anAddressIsDroppedWithItsLastRecord() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    see(over: 0)
    responder.resolvers[0].resolved(ResolvedService(host: "h.local", port: 4000, text: []))
    let address = try #require(IPAddress([192, 168, 1, 9]))
    let records = responder.records[0]
    for version in [Int32(0), 1] {
      records.record(SeenRecord(data: address.bytes, packetProtocol: version, appeared: true))
    }
    records.record(SeenRecord(data: address.bytes, packetProtocol: 0, appeared: false))
    #expect(!log.facts.contains(.dropped(key, address)))
    records.record(SeenRecord(data: address.bytes, packetProtocol: 1, appeared: false))
    #expect(log.facts.last == .dropped(key, address))
    // Records of an impossible size are nothing.
    let before = log.facts.count
    for size in [0, 1, 3, 5, 15, 17, 256] {
      records.record(SeenRecord(data: [UInt8](repeating: 9, count: size), packetProtocol: 0, appeared: true))
    }
    #expect(log.facts.count == before)
  }

  @Test func theTextThatCameLastCountsAtOnce() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    see(over: 0)
    let old = ResolvedService(host: "h.local", port: 4000, text: [Array("v=1".utf8)])
    responder.resolvers[0].resolved(old)
    let records = try #require(responder.records.last)
    func say(_ text: String, over packetProtocol: Int32 = 0, appeared: Bool = true) {
      let data = [UInt8(text.utf8.count)] + Array(text.utf8)
      records.record(SeenRecord(data: data, packetProtocol: packetProtocol, appeared: appeared))
    }
    func fact(_ text: [String: [UInt8]]) -> ServiceObservation {
      .resolved(key, host: "h.local", port: 4000, text: text)
    }
    say("v=1")
    say("d=5")
    #expect(log.facts.last == fact(["d": [0x35]]))
    // The resolver holds to the old record until that has run out; and the new one comes over the
    // other IP version too.
    responder.resolvers[0].resolved(old)
    say("d=5", over: 1)
    #expect(log.facts.last == fact(["d": [0x35]]))
    say("v=1", appeared: false)
    say("d=5", appeared: false)
    #expect(log.facts.last == fact(["d": [0x35]]))
    say("d=5", over: 1, appeared: false)
    #expect(log.facts.last == fact(["v": [0x31]]), "what the resolver says is all there is")
    for number in 0..<1_000 { say("d=\(number)") }
    #expect(log.facts.last == fact(["d": Array("999".utf8)]))
  }

  @Test func anotherHostIsLookedUpAnew() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    see(over: 0)
    for host in ["one.local", "one.local", "two.local"] {
      responder.resolvers[0].resolved(ResolvedService(host: host, port: 4000, text: []))
    }
    let text = "abcdefgh._latchkey._tcp.local"
    #expect(responder.records.map(\.name) == ["one.local", "one.local", text, "two.local", "two.local"])
    #expect(responder.records.map(\.isClosed) == [true, true, false, false, false])
  }

  @Test func aFloodTakesNoMoreObjectsThanADaemonGrants() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    for number in 0..<5000 { see("flood\(number)", over: 0) }
    #expect(responder.resolvers.count == DiscoveryLimits.lookups, "nobody has answered")
    var answered = 0
    while answered < responder.resolvers.count {
      responder.resolvers[answered].resolved(ResolvedService(host: "h.local", port: 4000, text: []))
      answered += 1
    }
    #expect(responder.resolvers.count == DiscoveryLimits.sightings)
    #expect(responder.resolvers.count * 4 + 2 * DiscoveryLimits.interfaces * 3 < 1024 + 64)
    #expect(watcher.isIncomplete)
    #expect(!watcher.hasRoomAgain)
    for number in 0..<100 { see("flood\(number)", over: 0, appeared: false) }
    #expect(watcher.hasRoomAgain, "a fresh start would see what was left out")
  }

  /// Many simultaneous questions are answered late and repeated.
  @Test func aFewAreLookedUpAtATime() throws {
    var waiting: [() -> Void] = []
    var counts: [Int] = []
    let loop = try DiscoveryLoop()
    var timers: [() -> Void] = []
    let watcher = try ServiceWatcher(
      responder: responder, type: "_latchkey._tcp", interfaces: [.eth0, .wlan0], later: { waiting.append($0) },
      schedule: { _, work in
        timers.append(work)
        return loop.schedule(after: .seconds(3_600), work)
      }, onCount: { counts.append($0) }, observe: { [log] in log.facts.append($0) })
    defer { watcher.close() }
    func turn() {
      let steps = waiting
      waiting = []
      for step in steps { step() }
    }
    for number in 0..<10 { see("name\(number)", over: 0) }
    #expect(counts == Array(1...10))
    #expect(responder.resolvers.count == 4)
    // One answers, and makes room for the next; so does one that leaves.
    responder.resolvers[1].resolved(ResolvedService(host: "h.local", port: 4000, text: []))
    #expect(responder.resolvers.count == 4, "what calls is not joined by others")
    turn()
    #expect(responder.resolvers.count == 5)
    responder.resolvers[1].resolved(ResolvedService(host: "h.local", port: 4001, text: []))
    turn()
    #expect(responder.resolvers.count == 5, "its second answer makes room for nobody")
    see(responder.resolvers[0].name, over: 0, appeared: false)
    turn()
    #expect(responder.resolvers.count == 6)
    // One that does not answer gives its place away after a while and is followed further.
    timers[2]()
    turn()
    #expect(responder.resolvers.count == 7 && !responder.resolvers[2].isClosed)
    // One that has left while it waited is not looked up, and the rest is, in no order.
    #expect(watcher.isBehind)
    let asked = Set(responder.resolvers.map(\.name))
    let left = try #require((0..<10).map { "name\($0)" }.first { !asked.contains($0) })
    see(left, over: 0, appeared: false)
    for _ in 0..<1_000 {
      see("flighty", over: 0)
      see("flighty", over: 0, appeared: false)
    }
    #expect(watcher.isBehind)
    for _ in 0..<10 {
      for timer in timers { timer() }
      turn()
    }
    #expect(!watcher.isBehind)
    #expect(Set(responder.resolvers.map(\.name)) == Set((0..<10).map { "name\($0)" }).subtracting([left]))
  }

  /// An address from a daemon's resolver is reported immediately, and withdrawn with its record.
  @Test func theFirstAddressIsKnownBeforeItsRecords() throws {
    responder.findsAddresses = true
    let watcher = try makeWatcher()
    defer { watcher.close() }
    see(over: 0)
    responder.resolvers[0].resolved(ResolvedService(host: "h.local", port: 4000, text: []))
    #expect(responder.addressResolvers.count == 1 && watcher.isBehind)
    let address = try #require(IPAddress([192, 168, 1, 9]))
    func say(_ call: FakeResponder.Call, appeared: Bool) {
      call.record(SeenRecord(data: address.bytes, packetProtocol: 0, appeared: appeared))
    }
    say(responder.addressResolvers[0], appeared: true)
    #expect(log.facts.last == .gained(key, address, interface: .eth0))
    #expect(responder.addressResolvers[0].isClosed && !watcher.isBehind)
    say(responder.records[0], appeared: true)
    say(responder.records[0], appeared: false)
    #expect(log.facts.last == .dropped(key, address))
    // Another host later has no place among those that are new, and is found by its records.
    responder.resolvers[0].resolved(ResolvedService(host: "two.local", port: 4000, text: []))
    #expect(responder.addressResolvers.count == 1)
  }

  /// Those without an address take up no more of a daemon's objects than those that are looked up
  /// at a time.
  @Test func fewAddressesAreFoundAtATime() throws {
    responder.findsAddresses = true
    var waiting: [() -> Void] = []
    var timers: [() -> Void] = []
    let loop = try DiscoveryLoop()
    let watcher = try ServiceWatcher(
      responder: responder, type: "_latchkey._tcp", interfaces: [.eth0, .wlan0], later: { waiting.append($0) },
      schedule: { _, work in
        timers.append(work)
        return loop.schedule(after: .seconds(3_600), work)
      }, observe: { _ in })
    defer { watcher.close() }
    for number in 0..<40 { see("name\(number)", over: 0) }
    var answered = 0
    for round in 0..<10 {
      while answered < responder.resolvers.count {
        responder.resolvers[answered].resolved(ResolvedService(host: "h.local", port: 4000, text: []))
        answered += 1
      }
      let open = responder.addressResolvers.filter { !$0.isClosed }
      #expect(open.count <= DiscoveryLimits.lookups, "round \(round)")
      #expect(responder.addressResolvers.count == answered)
      for timer in timers { timer() }
      for step in waiting { step() }
      waiting = []
    }
    #expect(answered == 40 && !watcher.isBehind)
    #expect(responder.addressResolvers.allSatisfy { $0.isClosed })
  }

  /// An instance that is no longer wanted is dropped at the next look.
  @Test func whatIsOfNoMoreInterestIsLeft() throws {
    var waiting: [() -> Void] = []
    let interest = Interest()
    let watcher = try ServiceWatcher(
      responder: responder, type: "_latchkey._tcp", interfaces: [.eth0, .wlan0], isOfInterest: { _ in interest.value },
      later: { waiting.append($0) }, observe: { [log] in log.facts.append($0) })
    defer { watcher.close() }
    see(over: 0)
    responder.resolvers[0].resolved(ResolvedService(host: "h.local", port: 4000, text: [Array("v=1".utf8)]))
    #expect(log.facts == [.resolved(key, host: "h.local", port: 4000, text: ["v": [0x31]])])
    watcher.lookAgain()
    #expect(log.facts.count == 1)
    interest.set(false)
    watcher.lookAgain()
    for step in waiting { step() }
    #expect(log.facts.last == .passedOver(key, text: ["v": [0x31]]))
    #expect(responder.resolvers[0].isClosed && responder.records.allSatisfy { $0.isClosed })
  }

  private final class Interest: Sendable {
    private let state = Mutex(true)
    var value: Bool { state.withLock { $0 } }
    func set(_ value: Bool) { state.withLock { $0 = value } }
  }

  @Test func interfacesThatWereNotAskedAboutAreIgnored() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    responder.browsers[0].service(
      ServiceSighting(instanceName: "abcdefgh", interface: 77, packetProtocol: 0, appeared: true))
    #expect(responder.resolvers.isEmpty)
  }

  @Test func aRefusedResolverLeavesNoTrace() throws {
    let watcher = try makeWatcher()
    defer { watcher.close() }
    responder.refusal = AvahiError(-17)
    see(over: 0)
    see(over: 0, appeared: false)
    #expect(log.facts.isEmpty)
    responder.refusal = nil
    see(over: 0)
    #expect(responder.resolvers.count == 1)
  }
}
