/// The pairs of a DNS-SD TXT record, read and written.
///
/// Spec: Protocol/02-discovery.md §2.
package enum TextRecord {
  /// Decodes the raw entries of another host, which may contain any bytes.
  ///
  /// Keys are printable ASCII and compared in lower case. The first of several equal keys counts,
  /// an entry without a key is ignored, and one without `=` has an empty value. Entries beyond 16,
  /// or beyond 1,300 bytes in all, are not read.
  package static func parse(_ entries: some Sequence<[UInt8]>) -> [String: [UInt8]] {
    var pairs: [String: [UInt8]] = [:]
    var bytes = 0
    for entry in entries.prefix(DiscoveryLimits.textEntries) {
      bytes += entry.count + 1
      guard bytes <= DiscoveryLimits.textBytes else { break }
      let key = entry.prefix { $0 != UInt8(ascii: "=") }
      guard !key.isEmpty, key.allSatisfy({ (0x20...0x7e).contains($0) }) else { continue }
      let name = String(decoding: key, as: UTF8.self).lowercased()
      guard pairs[name] == nil else { continue }
      pairs[name] = Array(entry.dropFirst(key.count + 1))
    }
    return pairs
  }

  /// Returns the entries of a TXT record in wire form, in which each follows a byte with its
  /// length; an incomplete entry is ignored.
  static func entries(wire data: [UInt8]) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var rest = data[...]
    while let size = rest.popFirst(), rest.count >= size, entries.count <= DiscoveryLimits.textEntries {
      entries.append(Array(rest.prefix(Int(size))))
      rest = rest.dropFirst(Int(size))
    }
    return entries
  }

  /// Returns the entries for pairs that this node announces, sorted by key, with `v` first, since
  /// readers expect a version there.
  ///
  /// Returns `nil` if a key is empty, has `=` or is not printable ASCII, if an entry has more than
  /// 255 bytes, or if there are more than 16 entries or 1,300 bytes.
  package static func entries(_ text: [String: [UInt8]]) -> [[UInt8]]? {
    guard text.count <= DiscoveryLimits.textEntries else { return nil }
    var entries: [[UInt8]] = []
    for (key, value) in text.sorted(by: { ($0.key == "v" ? "" : $0.key) < ($1.key == "v" ? "" : $1.key) }) {
      let name = Array(key.utf8)
      guard !name.isEmpty, name.allSatisfy({ (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "=") })
      else { return nil }
      let entry = name + [UInt8(ascii: "=")] + value
      guard entry.count <= DiscoveryLimits.textEntryBytes else { return nil }
      entries.append(entry)
    }
    guard entries.reduce(0, { $0 + $1.count + 1 }) <= DiscoveryLimits.textBytes else { return nil }
    return entries
  }
}
