@testable import LatchkeyDiscovery

extension NetworkInterface {
  /// An interface that is up.
  static func make(
    _ name: String, index: UInt32 = 2, _ addresses: [String], loopback: Bool = false, multicast: Bool = true,
    pointToPoint: Bool = false, up: Bool = true
  ) -> NetworkInterface {
    NetworkInterface(
      index: index, name: name, isLoopback: loopback, isMulticast: multicast, isPointToPoint: pointToPoint, isUp: up,
      isRunning: true, addresses: addresses.compactMap { AddressBytes.parse($0) })
  }

  static let lo = make("lo", index: 1, ["127.0.0.1", "::1"], loopback: true, multicast: false)
  static let eth0 = make("eth0", index: 2, ["192.168.1.5", "fe80::5"])
  static let wlan0 = make("wlan0", index: 3, ["192.168.1.6"])
}
