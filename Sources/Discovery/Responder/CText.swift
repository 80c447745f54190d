import CAvahi

/// Moves bytes and strings between Avahi and Swift.
enum CText {
  /// Returns the TXT entries that a resolver found, in the order of the wire and within the limits.
  ///
  /// - Parameters:
  ///   - list: Avahi's list; not kept.
  ///   - beginsWithLast: whether the list begins with the last entry of the wire, as Avahi keeps it. What a daemon sends over
  ///     D-Bus is put together in the other order.
  static func entries(
    _ list: UnsafeMutablePointer<AvahiStringList>?, beginsWithLast: Bool
  ) -> [[UInt8]] {
    var nodes: [UnsafeMutablePointer<AvahiStringList>] = []
    var next = list
    while let node = next {
      nodes.append(node)
      next = avahi_string_list_get_next(node)
    }
    if beginsWithLast { nodes.reverse() }
    // One more than is allowed, so that the reader sees that there was more.
    return nodes.prefix(DiscoveryLimits.textEntries + 1).map { node in
      Array(UnsafeBufferPointer(start: avahi_string_list_get_text(node), count: avahi_string_list_get_size(node)))
    }
  }

  /// Returns TXT entries as they are on the wire.
  ///
  /// - Parameter list: Avahi's list; not kept.
  /// - Returns: nil when that is longer than anybody reads.
  static func wire(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [UInt8]? {
    let size = avahi_string_list_serialize(list, nil, 0)
    guard size <= DiscoveryLimits.recordBytes else { return nil }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = avahi_string_list_serialize(list, buffer.baseAddress, size)
    }
  }

  /// Put together the full name of an instance, with escapes.
  ///
  /// - Parameters:
  ///   - instance: 1 to 63 bytes.
  ///   - type: such as `_latchkey._tcp`.
  /// - Returns: nil when it is no name.
  static func serviceName(_ instance: String, type: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1_024)
    guard avahi_service_name_join(&bytes, bytes.count, instance, type, "local") == 0 else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Lends a list of TXT entries to a function of Avahi's.
  ///
  /// - Parameters:
  ///   - entries: in the order of the wire, each of at most 255 bytes.
  ///   - body: must not keep the list.
  static func withList<Result>(
    _ entries: [[UInt8]], _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result
  ) -> Result {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // Avahi puts each entry in front of the others, and turns the list round when it writes a record.
    for entry in entries {
      list = avahi_string_list_add_arbitrary(list, entry, entry.count)
    }
    defer { avahi_string_list_free(list) }
    return body(list)
  }

  /// Read an instance name.
  ///
  /// - Returns: nil when it is empty, over 63 bytes or no UTF-8.
  static func instanceName(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text, let name = String(validatingCString: text) else { return nil }
    return (1...DiscoveryLimits.instanceNameBytes).contains(name.utf8.count) ? name : nil
  }

  /// Read a full DNS name.
  ///
  /// - Returns: nil when it is empty, over 1 KB with its escapes, or no UTF-8.
  static func hostName(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text, let name = String(validatingCString: text) else { return nil }
    return (1...1024).contains(name.utf8.count) ? name : nil
  }

  /// Returns an IPv4 address; `nil` if there is none, or one of another version.
  static func addressV4(_ address: UnsafePointer<AvahiAddress>?) -> AddressBytes? {
    guard let address, address.pointee.proto == AvahiProtocol(AVAHI_PROTO_INET) else { return nil }
    return AddressBytes(withUnsafeBytes(of: address.pointee.data) { Array($0.prefix(4)) })
  }

  /// Lend an address to a function of Avahi's.
  static func withAddress<Result>(
    _ address: AddressBytes, _ body: (UnsafeMutablePointer<AvahiAddress>) -> Result
  ) -> Result {
    var raw = AvahiAddress()
    raw.proto = AvahiProtocol(address.family == .v4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
    withUnsafeMutableBytes(of: &raw.data) { $0.copyBytes(from: address.bytes) }
    return body(&raw)
  }
}
