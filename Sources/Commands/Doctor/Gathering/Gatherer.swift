import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The gathering of facts about this machine and the path to one peer.
enum Gatherer {
  /// Gathers all facts about the machine on which the process runs.
  ///
  /// It takes a few seconds, changes nothing, and sends one mDNS question on each interface. Facts
  /// that could not be gathered are `nil` or empty.
  static func gather(_ stateFolder: String, _ request: DoctorRequest) -> Facts {
    let machine: MachineFacts
    do {
      machine = try NodeFolder.isOfThisMachine(StateFolder(path: stateFolder)).map { $0 ? .same : .other } ?? .unknown
    } catch { machine = .unreadable }
    let interfaces = NetworkInterface.all() ?? []
    var facts = Facts(
      node: request.node, machine: machine, folder: FolderGatherer.gather(stateFolder), interfaces: interfaces,
      defaultInterface: AddressProber.interface(towards: "192.0.2.1", interfaces)
        ?? AddressProber.interface(towards: "2001:db8::1", interfaces), firewall: FirewallGatherer.gather(),
      responders: SocketTable.holders(port: 5_353), bus: ServiceGatherer.bus(ProcessInfo.processInfo.environment),
      avahi: ServiceGatherer.avahi(),
      clock: ClockFacts(now: request.now, isSynchronised: isClockSynchronised(), stamps: request.stamps),
      conditions: request.conditions, receivers: request.receivers, phones: phones(stateFolder, request.browsers),
      terms: request.terms)
    facts.multicast = MulticastProber.probe(facts.lanInterfaces)
    if let peer = request.peer {
      var addresses = peer.addresses.map(\.address)
      if case .running(_, let nearby?) = request.node,
        let announced = nearby.members.first(where: { $0.deviceID == peer.device.deviceID })?.addresses
      {
        addresses = announced + addresses.filter { !announced.contains($0) }
      }
      // A connected device needs no further connection.
      facts.peer = PeerFacts(status: peer, probes: peer.isConnected ? [] : AddressProber.probe(addresses, interfaces))
    }
    let user = geteuid()
    if stateFolder == SystemNode.stateFolder, user != 0, let owner = facts.folder.entries.first?.owner, owner != user {
      // That others may not use a service's files is as it should be.
      facts.folder = FolderFacts(path: stateFolder, user: user)
    }
    return facts
  }

  /// Returns whether a time service keeps the clock right; `nil` if the system does not report it.
  private static func isClockSynchronised() -> Bool? {
    guard case .output(let text) = ToolRun.run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]) else {
      return nil
    }
    let answer = text.split(separator: "\n").first
    return answer == "yes" ? true : answer == "no" ? false : nil
  }

  /// Returns the facts about the pages for phones; `nil` if none is let in.
  private static func phones(_ stateFolder: String, _ browsers: [BrowserListing]) -> PhoneFacts? {
    guard !browsers.isEmpty else { return nil }
    let port = PhonePlace.read(in: stateFolder).map { UInt16(clamping: $0.port) }
    let tables = ["tcp", "tcp6"].map(SocketTable.text)
    return PhoneFacts(
      port: port, isListening: port.map { port in tables.contains { SocketTable.isListening(port, in: $0) } } ?? false,
      hasAuthority: access(PhonePlace.folder(in: stateFolder) + "/authority.pem", F_OK) == 0)
  }
}

enum FolderGatherer {
  /// Returns the facts of a state folder, without leaving files in it.
  static func gather(_ path: String) -> FolderFacts {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return FolderFacts(path: path, exists: errno != ENOENT && errno != ENOTDIR, user: geteuid())
    }
    var facts = FolderFacts(path: path, user: geteuid())
    var own = stat()
    facts.entries = [entry(path, lstat(path, &own) == 0 && own.st_mode & S_IFMT == S_IFLNK ? own : status)]
    facts.exposedParent = StateFolder(path: path).exposedParent
    for name in (ProcFile.names(in: path, most: 256) ?? []).sorted() {
      var status = stat()
      let path = path + "/" + name
      if lstat(path, &status) == 0 { facts.entries.append(entry(path, status)) }
    }
    var disk = statvfs()
    if statvfs(path, &disk) == 0 {
      let free = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
      facts.freeBytes = free.overflow ? .max : Int64(clamping: free.partialValue)
      facts.isReadOnly = disk.f_flag & UInt(1) != 0
    }
    if !facts.isReadOnly { measure(&facts) }
    return facts
  }

  private static func entry(_ path: String, _ status: stat) -> FolderFacts.Entry {
    let kind = status.st_mode & S_IFMT
    return FolderFacts.Entry(
      path: path, owner: status.st_uid, mode: status.st_mode & 0o7777, isLink: kind == S_IFLNK,
      names: kind == S_IFREG ? Int(status.st_nlink) : 1)
  }

  /// Makes small writes durable, as the database does, and records their median time.
  private static func measure(_ facts: inout FolderFacts) {
    // mkstemp replaces the six letters and opens a file that no other process has.
    var name = Array((facts.path + "/.doctor-XXXXXX").utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else {
      facts.writeFault = SystemError.reason()
      return
    }
    unlink(name)
    defer { close(file) }
    // Programs started meanwhile must not inherit the descriptor.
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    let bytes = [UInt8](repeating: 0x5A, count: 4_096)
    var times: [Int64] = []
    for _ in 0..<9 {
      let begun = SystemClock.awake.microseconds
      guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
        facts.writeFault = SystemError.reason()
        return
      }
      times.append(SystemClock.awake.microseconds - begun)
      // A disk that needs a second for each write is not measured nine times.
      if times.reduce(0, +) > 2_000_000 { break }
    }
    facts.syncMicroseconds = times.sorted()[times.count / 2]
  }
}

/// The sockets of the machine, as `/proc/net` shows them.
enum SocketTable {
  struct Entry: Hashable {
    var inode: UInt64
    var user: UInt32
  }

  /// Returns the sockets of a UDP port in a table such as `/proc/net/udp`.
  static func entries(port: UInt16, in table: String) -> [Entry] {
    rows(port, in: table).compactMap { fields in
      guard fields.count > 9, let user = UInt32(fields[7]), let inode = UInt64(fields[9]) else { return nil }
      return Entry(inode: inode, user: user)
    }
  }

  /// Returns whether a program listens on a TCP port, by a table such as `/proc/net/tcp`.
  static func isListening(_ port: UInt16, in table: String) -> Bool { rows(port, in: table).contains { $0[3] == "0A" } }

  /// Returns the table of a protocol, such as `udp6`.
  static func text(_ name: String) -> String { ProcFile.text("/proc/net/\(name)", most: 8 << 20) ?? "" }

  /// Returns the fields of each socket of a port.
  private static func rows(_ port: UInt16, in table: String) -> [[Substring]] {
    table.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }.filter { fields in
      guard fields.count > 3, let colon = fields[1].lastIndex(of: ":") else { return false }
      return UInt16(fields[1][fields[1].index(after: colon)...], radix: 16) == port
    }
  }

  /// Returns the processes with a socket on a UDP port, each once.
  ///
  /// Only root may read the names of other users' processes, and of processes that hide their data,
  /// such as the node. Each user has as many unnamed entries as it has sockets of one address
  /// family.
  static func holders(port: UInt16) -> [PortHolder] {
    let tables = ["udp", "udp6"].map { Self.entries(port: port, in: text($0)) }
    let entries = Set(tables.joined())
    if entries.isEmpty { return [] }
    var holders: [PortHolder] = []
    var left = Dictionary(entries.map { ("socket:[\($0.inode)]", $0) }) { first, _ in first }
    for process in ProcFile.names(in: "/proc") ?? [] where Int32(process) != nil {
      var mine: PortHolder?
      for descriptor in ProcFile.names(in: "/proc/\(process)/fd") ?? [] {
        guard let target = ProcFile.link("/proc/\(process)/fd/\(descriptor)"),
          let entry = left.removeValue(forKey: target), mine == nil
        else { continue }
        let name = ProcFile.text("/proc/\(process)/comm", most: 64)?.split(separator: "\n").first.map(String.init)
        mine = PortHolder(name: name, user: entry.user)
      }
      if let mine { holders.append(mine) }
    }
    let unnamed = Set(left.values)
    for user in Set(unnamed.map(\.user)).sorted() {
      let count = tables.map { table in table.filter { $0.user == user && unnamed.contains($0) }.count }.max() ?? 0
      holders += Array(repeating: PortHolder(name: nil, user: user), count: count)
    }
    return holders
  }
}

/// A test of whether system services answer at their sockets.
enum ServiceGatherer {
  static func bus(_ environment: [String: String]) -> ServiceState {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
    let path = address.split(separator: ";").first.flatMap { part -> String? in
      guard part.hasPrefix("unix:path=") else { return nil }
      return String(part.dropFirst("unix:path=".count).prefix { $0 != "," })
    }
    // The D-Bus specification, "Authentication Protocol": a zero byte and a request.
    return socket(path ?? "/run/dbus/system_bus_socket", asking: "\0AUTH\r\n")
  }

  /// Asks avahi-daemon through its text protocol, which does not need the bus.
  static func avahi() -> ServiceState { socket("/run/avahi-daemon/socket", asking: "HELP\n") }

  /// The time limit for an answer in milliseconds; a working service answers within one.
  private static let patience: CInt = 2_000

  /// Returns whether a process accepts connections at a socket and answers a few bytes there.
  ///
  /// An answer is required because the system accepts connections even for a process that hangs.
  static func socket(_ path: String, asking question: String) -> ServiceState {
    guard access(path, F_OK) == 0 else { return .absent }
    guard let socket = LocalSocket.connect(to: path) else {
      // The queue of connections is full because the process does not accept them.
      return .silent(errno == EAGAIN ? "nobody takes connections there, so it hangs" : SystemError.reason())
    }
    let asked = Array(question.utf8)[...]
    guard socket.write(asked) == asked.count else { return .silent(SystemError.reason()) }
    return switch answers(socket) {
    case true?: .answers
    case nil: .silent("it takes connections and says nothing for \(patience / 1_000) s, so it hangs")
    case false?: .silent("it takes connections and closes them without a word")
    }
  }

  /// Returns whether anything comes before the connection ends; `nil` if nothing does in time.
  private static func answers(_ socket: LocalSocket) -> Bool? {
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    while true {
      let left = Int32(ContinuousClock.now.duration(to: end) / .milliseconds(1))
      guard left > 0 else { return nil }
      var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, left) > 0 { return socket.read()?.isEmpty == false }
    }
  }
}
