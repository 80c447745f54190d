import Testing

@testable import LatchkeyNode

/// Tests of the identifier of a network.
@Suite struct NetworkMarkTests {
  private static let head = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
  private static let neighbours = """
    IP address       HW type     Flags       HW address            Mask     Device
    192.168.1.1      0x1         0x2         aa:bb:cc:dd:ee:01     *        eth0
    192.168.7.1      0x1         0x2         aa:bb:cc:dd:ee:07     *        wlan0
    10.0.0.1         0x1         0x0         00:00:00:00:00:00     *        eth0
    """

  /// A default route by way of an address whose bytes the kernel prints in the machine's order.
  private func route(_ interface: String, _ gateway: String, metric: Int) -> String {
    "\(interface) 00000000 \(gateway) 0003 0 0 \(metric) 00000000 0 0 0\n"
  }

  private func mark(_ routes: String, _ neighbours: String = neighbours, v6: String = "") -> String? {
    NetworkMark.make(routes: Self.head + routes, neighbours: neighbours, routesV6: v6)
  }

  @Test func theGatewaysHardwareAddressIsTheNetwork() throws {
    let home = try #require(mark(route("eth0", "0101A8C0", metric: 100)))
    #expect(home.count == 16)
    // With or without a cable, and whatever the gateway's name.
    #expect(mark(route("wlan0", "0101A8C0", metric: 600)) == home)
    #expect(mark(route("wlan0", "0107A8C0", metric: 600)) != home)
    // The kernel's choice among several default routes.
    #expect(mark(route("wlan0", "0107A8C0", metric: 600) + route("eth0", "0101A8C0", metric: 100)) == home)
    // Other routes are ignored.
    #expect(mark("eth0 0000A8C0 00000000 0001 0 0 0 0000FFFF 0 0 0\n" + route("eth0", "0101A8C0", metric: 0)) == home)
  }

  @Test func aGatewayThatIsNotResolvedIsKnownByItsAddress() throws {
    let one = try #require(mark(route("eth0", "0100000A", metric: 0)))
    #expect(mark(route("eth0", "0100000A", metric: 0), "") == one)
    #expect(mark(route("eth1", "0100000A", metric: 0)) != one)
  }

  @Test func ipv6AloneAndNoNetworkAtAll() {
    let line =
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 "
      + "00000001 00000000 00000003 eth0\n"
    let one = mark("", v6: line)
    #expect(one != nil)
    #expect(mark("", v6: line.replacing("0001 00000400", with: "0002 00000400")) != one)
    // The kernel's own entry for what is not reachable leads nowhere.
    #expect(
      mark("", v6: line.replacing("fe800000000000000000000000000001", with: String(repeating: "0", count: 32))) == nil)
    #expect(mark("") == nil && mark("nonsense\n", "nonsense", v6: "nonsense") == nil)
  }
}
