import LatchkeySystem

/// The sockets of the machine, as `/proc/net` shows them.
enum SocketTable {
  /// A socket with its number and its user.
  struct Entry: Hashable {
    var inode: UInt64
    var user: UInt32
  }

  /// Returns the sockets of a UDP port in a table such as `/proc/net/udp`.
  static func entries(port: UInt16, in table: String) -> [Entry] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, let colon = fields[1].lastIndex(of: ":"),
        UInt16(fields[1][fields[1].index(after: colon)...], radix: 16) == port,
        let user = UInt32(fields[7]), let inode = UInt64(fields[9])
      else { return nil }
      return Entry(inode: inode, user: user)
    }
  }

  /// Returns the processes with a socket on a UDP port, each once.
  ///
  /// Only root may read the names of other users' processes, and of processes that hide their data,
  /// such as the node. Each user has as many unnamed entries as it has sockets of one address
  /// family.
  ///
  /// - Parameter port: The UDP port.
  /// - Returns: The processes.
  static func holders(port: UInt16) -> [PortHolder] {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map {
      Self.entries(port: port, in: ProcFile.text($0, most: 8 << 20) ?? "")
    }
    let entries = Set(tables.joined())
    if entries.isEmpty { return [] }
    var holders: [PortHolder] = []
    var left = Dictionary(entries.map { ("socket:[\($0.inode)]", $0) }) { first, _ in first }
    for process in ProcFile.names(in: "/proc") ?? [] {
      guard let id = Int32(process) else { continue }
      var mine: PortHolder?
      for descriptor in ProcFile.names(in: "/proc/\(process)/fd") ?? [] {
        guard let target = ProcFile.link("/proc/\(process)/fd/\(descriptor)"),
          let entry = left.removeValue(forKey: target), mine == nil
        else { continue }
        let name = ProcFile.text("/proc/\(process)/comm", most: 64)?.split(separator: "\n").first.map(String.init)
        mine = PortHolder(name: name, processID: id, user: entry.user)
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
