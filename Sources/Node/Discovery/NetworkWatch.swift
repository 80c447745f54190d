import Foundation
import LatchkeyModel
import LatchkeyProtocol
import LatchkeySystem

/// Notices that this machine has other addresses, or has slept, and tells every link.
///
/// The kernel reports a change through discovery. In addition, the clocks are read about every
/// three seconds, which is most of what wakes an idle node, and the addresses every ten: to list
/// them costs more than everything else.
///
/// Spec: Protocol/04-session.md §5.
actor NetworkWatch {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let discovery: DiscoveryService
  private var clock = ClockJump()

  /// The time between two looks at the clocks, in milliseconds.
  private static let pace: Int64 = 3_300
  /// The number of looks at the clocks for each look at the addresses.
  private static let addressPace = 3
  /// The time by which two clocks may part, or a look may be late, before the machine counts as
  /// having slept.
  private static let tolerance = Duration.seconds(2)

  init(context: NodeContext, directory: LinkDirectory, discovery: DiscoveryService) {
    (self.context, self.directory, self.discovery) = (context, directory, discovery)
  }

  func run() async {
    // Two lasting tasks instead of two for each look, so that an idle node hardly wakes.
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var looks = 0
        await ChangeSignal().follow(after: Self.pace) {
          looks += 1
          await self.look(atAddresses: looks.isMultiple(of: Self.addressPace))
          return Self.pace
        }
      }
      group.addTask {
        await self.context.networkChanges.follow(after: nil) {
          await self.look(atAddresses: true)
          return nil
        }
      }
    }
  }

  private func look(atAddresses: Bool) async {
    // While the machine is suspended, one clock stands still. While the process is stopped, neither
    // does, and only this look is late.
    let change = clock.change()
    let hasSlept = change.slept > Self.tolerance || change.passed > .milliseconds(Self.pace) + Self.tolerance
    guard hasSlept || atAddresses else { return }
    let (before, after) = context.lookAtNetwork()
    guard hasSlept || before != after else { return }
    context.logger.info(
      hasSlept ? "this machine has slept" : "this machine's addresses have changed",
      metadata: ["addresses": "\(after.all.sorted().joined(separator: " "))"])
    for link in await directory.all { await link.networkChanged(after) }
    if before.networks != after.networks { await discovery.networkChanged() }
  }
}

/// The addresses of this machine at one moment.
struct OwnNetwork: Equatable, Sendable {
  /// All addresses, including loopback, as text without a scope.
  var all: Set<String> = []
  /// The addresses at which others may call, without link-local ones and interfaces that are not
  /// offered.
  ///
  /// IPv4 first, then in the order of the interfaces; 4 or 16 bytes each.
  var callable: [[UInt8]] = []
  /// The networks of the machine, which do not change when it only gets another address in one of
  /// them.
  var networks: Set<String> = []

  /// Reads this machine's addresses; returns `nil` if the kernel does not answer, which says
  /// nothing about them.
  ///
  /// The names are those of interfaces that a person chose; `nil` if the general rule applies.
  static func current(interfaces names: [String]?) -> OwnNetwork? {
    NetworkInterface.all().map { OwnNetwork($0, names: names) }
  }

  init(_ interfaces: [NetworkInterface], names: [String]?) {
    for interface in interfaces where interface.isUp {
      for address in interface.addresses {
        all.insert(address.description)
        guard interface.isOffered(names: names) else { continue }
        networks.insert("\(interface.name) \(address.bytes.prefix(address.isV4 ? 3 : 8))")
        if !address.isLinkLocal, !callable.contains(address.bytes) { callable.append(address.bytes) }
      }
    }
    callable = callable.filter { $0.count == 4 } + callable.filter { $0.count == 16 }
  }

  /// Creates a network with only the addresses for other machines; none by default.
  init(callable: [[UInt8]] = []) { self.callable = callable }

  /// Returns the IPv4 address to put into a pairing code, four bytes; `nil` if there is none.
  ///
  /// With `allowsLoopback`, 127.0.0.1 is permitted if the node listens there. A loopback address
  /// leads another machine to itself, so a code contains one only while mDNS is off.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  func forCode(interfaces names: [String]?, allowsLoopback: Bool) -> [UInt8]? {
    if let address = callable.first, address.count == 4 { return address }
    return allowsLoopback && names?.contains("lo") ?? true ? [127, 0, 0, 1] : nil
  }
}

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

  /// Returns the mark for the content of the kernel's tables `route`, `arp` and `ipv6_route`.
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

  private static func text(_ path: String) -> String { ProcFile.text(path, most: 256 << 10) ?? "" }
}
