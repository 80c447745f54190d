import Foundation
import LatchkeyModel
import LatchkeyProtocol
import LatchkeySystem

/// An identifier of the network that this machine is on: a hash of its default gateway's hardware
/// address.
///
/// Addresses are stored for each network. The identifier never leaves this machine. A gateway whose
/// hardware address is unknown is identified by its own address and interface.
enum NetworkMark {
  /// Returns the mark of the default route's network; `nil` without such a route or if the kernel
  /// does not tell.
  static func current() -> String? {
    make(routes: text("/proc/net/route"), neighbours: text("/proc/net/arp"), routesV6: text("/proc/net/ipv6_route"))
  }

  /// Returns the mark for the content of the kernel's tables.
  ///
  /// - `routes`: The content of `/proc/net/route`.
  /// - `neighbours`: The content of `/proc/net/arp`.
  /// - `routesV6`: The content of `/proc/net/ipv6_route`.
  static func make(routes: String, neighbours: String, routesV6: String) -> String? {
    var gateways: [(metric: Int, interface: String, address: String)] = []
    for line in routes.split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000", let flags = Int(fields[3], radix: 16),
        flags & 3 == 3, let address = Hexadecimal.decode(String(fields[2])), address.count == 4
      else { continue }
      gateways.append(
        (Int(fields[6]) ?? 0, String(fields[0]), address.reversed().map(String.init).joined(separator: ".")))
    }
    if let gateway = gateways.min(by: { $0.metric < $1.metric }) {
      return hash(hardwareAddress(of: gateway.address, in: neighbours) ?? "\(gateway.interface) \(gateway.address)")
    }
    for line in routesV6.split(separator: "\n") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 9, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }),
        !fields[4].allSatisfy({ $0 == "0" })
      else { continue }
      return hash("\(fields[9]) \(fields[4])")
    }
    return nil
  }

  private static func hardwareAddress(of address: String, in neighbours: String) -> String? {
    for line in neighbours.split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 3, fields[0] == address, fields[3] != "00:00:00:00:00:00" else { continue }
      return String(fields[3])
    }
    return nil
  }

  private static func hash(_ text: String) -> String {
    Hexadecimal.encode(Array(SHA256.hash(Array("latchkey network \(text)".utf8)).prefix(8)))
  }

  private static func text(_ path: String) -> String {
    ProcFile.text(path, most: 256 << 10) ?? ""
  }
}
