import LatchkeySystem
import Testing

@testable import LatchkeyDiscovery

struct ServiceTableTests {
  private let onEth0 = SightingKey(instanceName: "abcdefgh", interfaceIndex: 2)
  private let onWlan0 = SightingKey(instanceName: "abcdefgh", interfaceIndex: 3)

  private func address(_ text: String) throws -> IPAddress {
    try #require(IPAddress(text))
  }

  private func resolve(_ table: inout ServiceTable, _ key: SightingKey, host: String = "h.local", port: UInt16 = 4000) {
    table.note(.resolved(key, host: host, port: port, text: ["v": [0x31]]))
  }

  @Test func sightingsOfTwoInterfacesAreOneService() throws {
    var table = ServiceTable()
    resolve(&table, onEth0)
    let events1 = table.takeEvents()
    #expect(events1.isEmpty, "nothing is reported before an address is known")
    table.note(.gained(onEth0, try address("fe80::9"), interface: .eth0))
    table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
    resolve(&table, onWlan0)
    table.note(.gained(onWlan0, try address("192.168.1.9"), interface: .wlan0))
    table.note(.gained(onWlan0, try address("fe80::9"), interface: .wlan0))
    table.note(.gained(onWlan0, try address("2001:db8::9"), interface: .wlan0))
    let expected = DiscoveredService(
      instanceName: "abcdefgh", port: 4000,
      addresses: [
        DiscoveredAddress(address: try address("192.168.1.9"), interfaceName: "eth0"),
        DiscoveredAddress(address: try address("2001:db8::9"), interfaceName: "wlan0"),
        DiscoveredAddress(address: try address("fe80::9"), interfaceIndex: 2, interfaceName: "eth0"),
        DiscoveredAddress(address: try address("fe80::9"), interfaceIndex: 3, interfaceName: "wlan0"),
      ], text: ["v": [0x31]])
    let events = table.takeEvents()
    guard case .found(let service)? = events.first, events.count == 1 else {
      Issue.record("\(events)")
      return
    }
    #expect(Set(service.addresses.map(\.address)) == Set(expected.addresses.map(\.address)))
    #expect(service.addresses.count == 4)
    #expect(service.addresses.map(\.address.isV4) == [true, false, false, false])
    #expect(Set(service.addresses.suffix(2).map(\.interfaceIndex)) == [2, 3])
    let events2 = table.takeEvents()
    #expect(events2.isEmpty, "the same is not told twice")
  }

  @Test func aServiceIsLostWithItsLastSighting() throws {
    var table = ServiceTable()
    for (key, interface) in [(onEth0, NetworkInterface.eth0), (onWlan0, .wlan0)] {
      resolve(&table, key)
      table.note(.gained(key, try address("192.168.1.9"), interface: interface))
    }
    _ = table.takeEvents()
    table.note(.withdrawn(onEth0))
    let events3 = table.takeEvents()
    #expect(!events3.contains(.lost(instanceName: "abcdefgh")))
    table.note(.withdrawn(onWlan0))
    let events4 = table.takeEvents()
    #expect(events4 == [.lost(instanceName: "abcdefgh")])
    table.note(.withdrawn(onWlan0))
    let events5 = table.takeEvents()
    #expect(events5.isEmpty)
  }

  @Test func anotherHostBringsItsOwnAddresses() throws {
    var table = ServiceTable()
    resolve(&table, onEth0, host: "one.local")
    table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
    _ = table.takeEvents()
    resolve(&table, onEth0, host: "two.local", port: 5000)
    let events6 = table.takeEvents()
    #expect(events6.isEmpty)
    table.note(.gained(onEth0, try address("192.168.1.10"), interface: .eth0))
    guard case .found(let service)? = table.takeEvents().first else {
      Issue.record("no event")
      return
    }
    #expect(service.port == 5000)
    #expect(service.addresses.map(\.host) == ["192.168.1.10"])
  }

  @Test func nothingIsLostInAHandoverThatTheNextBackEndSeesAgain() throws {
    var table = ServiceTable()
    let other = SightingKey(instanceName: "other", interfaceIndex: 2)
    for key in [onEth0, other] {
      resolve(&table, key)
      table.note(.gained(key, try address("192.168.1.9"), interface: .eth0))
    }
    let events7 = table.takeEvents()
    #expect(events7.count == 2)
    table.beginHandover()
    let events8 = table.takeEvents()
    #expect(events8.isEmpty)
    resolve(&table, onEth0)
    table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
    let events9 = table.takeEvents()
    #expect(events9.isEmpty, "the same service as before is no news")
    table.endHandover()
    let events10 = table.takeEvents()
    #expect(events10 == [.lost(instanceName: "other")])
  }

  /// Services that were not followed may have changed in any way, as may those that a handover
  /// kept.
  @Test func whatIsForgottenIsLostAndCanBeFoundAgain() throws {
    var table = ServiceTable()
    for isKept in [false, true] {
      resolve(&table, onEth0)
      table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
      let found = table.takeEvents()
      #expect(found.count == 1)
      if isKept { table.beginHandover() }
      table.forget()
      let lost = table.takeEvents()
      #expect(lost == [.lost(instanceName: onEth0.instanceName)])
      #expect(table.reported.isEmpty)
    }
  }

  @Test func addressesThatLeadNowhereOrHomeAreNotBelieved() throws {
    var table = ServiceTable()
    resolve(&table, onEth0)
    for text in ["127.0.0.1", "::1", "0.0.0.0", "224.0.0.1", "::ffff:127.0.0.1"] {
      table.note(.gained(onEth0, try address(text), interface: .eth0))
    }
    let events11 = table.takeEvents()
    #expect(events11.isEmpty)
    let onLo = SightingKey(instanceName: "abcdefgh", interfaceIndex: 1)
    resolve(&table, onLo)
    table.note(.gained(onLo, try address("127.0.0.1"), interface: .lo))
    let events12 = table.takeEvents()
    #expect(events12.count == 1)
  }

  @Test func aFloodFillsNoMoreThanTheTable() throws {
    var table = ServiceTable()
    for number in 0..<5000 {
      let key = SightingKey(instanceName: "flood\(number)", interfaceIndex: 2)
      resolve(&table, key)
      for last in 1...100 {
        table.note(.gained(key, try #require(IPAddress([10, 0, 0, UInt8(last)])), interface: .eth0))
      }
    }
    let events = table.takeEvents()
    #expect(events.count == DiscoveryLimits.services)
    for case .found(let service) in events { #expect(service.addresses.count == DiscoveryLimits.addresses) }
    // Facts about omitted services change nothing.
    table.note(.withdrawn(SightingKey(instanceName: "flood4999", interfaceIndex: 2)))
    table.note(.dropped(SightingKey(instanceName: "flood4999", interfaceIndex: 2), try address("10.0.0.1")))
    let events13 = table.takeEvents()
    #expect(events13.isEmpty)
    // A place that becomes free is given again.
    table.note(.withdrawn(SightingKey(instanceName: "flood0", interfaceIndex: 2)))
    resolve(&table, onEth0)
    table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
    let events14 = table.takeEvents()
    #expect(events14.count == 2)
  }

  @Test func aServiceWithoutAPortIsNotReported() throws {
    var table = ServiceTable()
    resolve(&table, onEth0, port: 0)
    table.note(.gained(onEth0, try address("192.168.1.9"), interface: .eth0))
    let events15 = table.takeEvents()
    #expect(events15.isEmpty)
  }
}
