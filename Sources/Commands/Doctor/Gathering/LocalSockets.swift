import Glibc
import LatchkeySystem

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

  /// Returns whether anything comes before the end of the connection; `nil` if nothing does in time.
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
