import Glibc

/// Sockets of the machine, as `/proc/net` shows them.
enum SocketTable {
  /// A socket: its number, and the user it belongs to.
  struct Entry: Hashable {
    var inode: UInt64
    var user: UInt32
  }

  /// The sockets of a UDP port in a table such as `/proc/net/udp`.
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

  /// Who holds a UDP port; each process once. Other users' processes have names for root alone.
  static func holders(port: UInt16) -> [PortHolder] {
    var entries: Set<Entry> = []
    for path in ["/proc/net/udp", "/proc/net/udp6"] {
      entries.formUnion(Self.entries(port: port, in: SystemFile.text(path, bytes: 8 << 20) ?? ""))
    }
    if entries.isEmpty { return [] }
    var holders: [PortHolder] = []
    var left = Dictionary(entries.map { ("socket:[\($0.inode)]", $0) }) { first, _ in first }
    var buffer = [CChar](repeating: 0, count: 64)
    for process in SystemFile.names("/proc") ?? [] {
      guard let id = Int32(process) else { continue }
      var mine: PortHolder?
      for descriptor in SystemFile.names("/proc/\(process)/fd") ?? [] {
        let count = readlink("/proc/\(process)/fd/\(descriptor)", &buffer, buffer.count - 1)
        guard count > 0 else { continue }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let entry = left.removeValue(forKey: target), mine == nil else { continue }
        let name = SystemFile.text("/proc/\(process)/comm", bytes: 64)?.split(separator: "\n").first.map(String.init)
        mine = PortHolder(name: name, processID: id, user: entry.user)
      }
      if let mine { holders.append(mine) }
    }
    // What is left belongs to processes that this user may not look at: one for each other user.
    for user in Set(left.values.map(\.user)).sorted() { holders.append(PortHolder(name: nil, user: user)) }
    return holders
  }
}
