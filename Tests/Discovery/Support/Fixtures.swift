import LatchkeySystem

@testable import LatchkeyDiscovery

extension NetworkInterface {
  /// An interface that is up.
  static func make(
    _ name: String, index: UInt32 = 2, _ addresses: [String], loopback: Bool = false, multicast: Bool = true,
    pointToPoint: Bool = false, up: Bool = true
  ) -> NetworkInterface {
    NetworkInterface(
      index: index, name: name, isUp: up, isLoopback: loopback, isMulticast: multicast, isPointToPoint: pointToPoint,
      subnets: addresses.compactMap { IPAddress($0) }.map { Subnet($0, prefix: $0.isV4 ? 24 : 64) })
  }

  static let lo = make("lo", index: 1, ["127.0.0.1", "::1"], loopback: true, multicast: false)
  static let eth0 = make("eth0", index: 2, ["192.168.1.5", "fe80::5"])
  static let wlan0 = make("wlan0", index: 3, ["192.168.1.6"])
}
