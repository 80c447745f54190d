import LatchkeyModel
import LatchkeySystem

@testable import LatchkeyCommands

/// The facts of a machine without faults, into which tests plant them.
enum Sample {
  static let now: Int64 = 1_795_266_000_000

  static let peerID: DeviceID = {
    guard let id = DeviceID(bytes: [UInt8](repeating: 2, count: DeviceID.size)) else { preconditionFailure("20 bytes") }
    return id
  }()

  /// An interface that is up, with one address if one is given.
  static func interface(_ name: String, _ address: String? = nil, _ prefix: Int = 24) -> NetworkInterface {
    NetworkInterface(
      index: 2, name: name, subnets: address.flatMap { IPAddress($0) }.map { [Subnet($0, prefix: prefix)] } ?? [])
  }

  static let loopback: NetworkInterface = {
    var loopback = interface("lo", "127.0.0.1", 8)
    loopback.isLoopback = true
    return loopback
  }()

  static func status() -> NodeStatus {
    let device = RegisteredDevice(
      deviceID: peerID, name: DeviceName(sanitising: "Emma's PC"), role: .child, identityKey: "", linkKey: "",
      pairedAt: now - 86_400_000, lastSeenAt: now - 3 * 3_600_000)
    return NodeStatus(
      deviceID: peerID, name: DeviceName(sanitising: "Kitchen"), role: .parent, version: "1", processID: 1,
      listening: ["0.0.0.0:41234"], discovery: "embedded", sync: .idle,
      peers: [PeerStatus(device: device, isConnected: true, address: nil, sync: .idle, queues: [], lastError: nil)],
      messages: [], warnings: [], residentBytes: 1)
  }

  static func queue(age: Int64?, dropped: Int64 = 0) -> QueueStatus {
    QueueStatus(
      streamClass: .command, waitingItems: age == nil ? 0 : 2, waitingBytes: 10, inFlightItems: 0, storedThrough: 0,
      oldestAgeMilliseconds: age,
      undelivered: dropped == 0 ? [] : [QueueTally(fate: .dropped, items: dropped, lastAt: now)])
  }

  static func facts(_ status: NodeStatus = status(), announced: [String] = []) -> Facts {
    let members =
      announced.isEmpty
      ? []
      : [
        NearbyMachines.Member(
          deviceID: peerID, name: DeviceName(sanitising: "Emma's PC"), role: .child, addresses: announced,
          isConnected: false)
      ]
    return Facts(
      node: .running(status, NearbyMachines(members: members, invitations: [], others: 0, discovery: "embedded")),
      folder: FolderFacts(
        path: "/x", user: 1_000,
        entries: [
          .init(path: "/x", owner: 1_000, mode: 0o700), .init(path: "/x/node.json", owner: 1_000, mode: 0o600),
        ],
        freeBytes: 1 << 40, syncMicroseconds: 500),
      interfaces: [
        loopback, interface("eth0", "192.168.1.5"),
      ], defaultInterface: "eth0",
      responders: [PortHolder(name: "avahi-daemon")],
      multicast: [MulticastProbe(interface: "eth0", heardItself: true, heardOthers: 2)], clock: ClockFacts(now: now))
  }

  /// A machine with everything wrong, and one that cannot say much.
  static var broken: [Facts] {
    var worst = facts()
    worst.node = .absent("No node is running: start it with `latchkey run`.")
    worst.machine = .other
    worst.folder.entries = [.init(path: "/x", owner: 0, mode: 0o077)]
    worst.folder.freeBytes = 0
    worst.folder.syncMicroseconds = 900_000
    worst.interfaces.append(interface("wg0"))
    worst.interfaces[worst.interfaces.count - 1].isPointToPoint = true
    worst.defaultInterface = "wg0"
    worst.firewall = FirewallFacts(
      chains: [
        FirewallChain(table: "inet f", name: "i", hook: "input", drops: true),
        FirewallChain(table: "inet f", name: "o", hook: "output", drops: true),
      ], unread: .needsRoot)
    worst.responders.append(PortHolder(name: "resolved"))
    (worst.bus, worst.avahi) = (.silent("refused"), .silent("refused"))
    worst.multicast = [
      MulticastProbe(interface: "eth0", heardItself: false),
      MulticastProbe(interface: "b", fault: "x", heardItself: false),
    ]
    worst.clock.isSynchronised = false
    var running = worst
    var status = status()
    status.peers[0].isConnected = false
    status.peers[0].marks = PeerMark.allCases
    status.peers[0].queues = [queue(age: 30 * 86_400_000, dropped: 3)]
    running.node = .running(status, nil)
    running.machine = .unknown
    running.peer = PeerFacts(
      status: status.peers[0],
      probes: [AddressProbe(address: "10.9.9.9:1", outcome: .silent, interface: "wg0")])
    running.folder.isReadOnly = true
    var silent = facts()
    silent.interfaces = []
    (silent.bus, silent.avahi) = (.absent, .absent)
    silent.folder.freeBytes = nil
    silent.folder.writeFault = "No space left on device"
    return [worst, running, silent]
  }
}
