import CAvahi
import LatchkeySystem

/// The functions of one of Avahi's two libraries, in a common form.
///
/// libavahi-client speaks to avahi-daemon, and libavahi-core is the stack inside this process. Both
/// offer the same functions with different names, orders of parameters and, for groups and records,
/// callbacks. The differences are in the tables `AvahiClient.functions` and
/// `AvahiServer.functions`.
///
/// A connection is a client of the daemon or a server inside the process. A function that creates
/// something returns `nil` if the library refuses. A function that returns a number returns a
/// negative one in that case.
struct AvahiFunctions {
  typealias Connection = OpaquePointer
  /// The argument of a callback: an unretained `AvahiLookup` or `AvahiRecordGroup`.
  typealias Context = UnsafeMutableRawPointer

  /// Ends the connection and frees everything that was created through it.
  let close: (Connection) -> Void
  let lastError: (Connection) -> CInt
  /// The errors that mean that the connection is lost, even if no callback reports it.
  let losses: Set<CInt>
  /// A Boolean value that indicates whether a resolver's TXT list begins with the last entry of the
  /// wire.
  let textBeginsWithLast: Bool
  /// A Boolean value that indicates whether a resolver finds an address sooner than a browser for
  /// records.
  let resolvesAddresses: Bool
  /// Looks for the instances of a type; the context is an `AvahiLookup<ServiceSighting>`.
  let browseServices: (Connection, AvahiIfIndex, _ type: String, AvahiServiceBrowserCallback, Context) -> OpaquePointer?
  let freeServiceBrowser: (OpaquePointer) -> CInt
  /// Follows the host, port and TXT record of an instance, with an address of this IP version; the
  /// context is an `AvahiLookup<ResolvedService>`.
  let resolveService:
    (
      Connection, ServiceSighting, _ type: String, AvahiProtocol, AvahiLookupFlags, AvahiServiceResolverCallback,
      Context
    ) -> OpaquePointer?
  let freeServiceResolver: (OpaquePointer) -> CInt
  /// Follows the records of a name; the context is an `AvahiLookup<SeenRecord>`, which this
  /// function's own callback informs.
  let browseRecords: (Connection, AvahiIfIndex, _ name: String, _ type: UInt16, Context) -> OpaquePointer?
  let freeRecordBrowser: (OpaquePointer) -> CInt
  /// Creates an empty group; the context is an `AvahiRecordGroup`, which this function's own
  /// callback informs.
  let makeGroup: (Connection, Context) -> OpaquePointer?
  let freeGroup: (OpaquePointer) -> CInt
  let commit: (_ group: OpaquePointer) -> CInt
  /// Adds an address record without a reverse record.
  let addAddress:
    (Connection, _ group: OpaquePointer, AvahiIfIndex, _ host: String, UnsafeMutablePointer<AvahiAddress>) -> CInt
  let addService:
    (
      Connection, _ group: OpaquePointer, AvahiIfIndex, _ name: String, _ type: String, _ host: String, _ port: UInt16,
      UnsafeMutablePointer<AvahiStringList>?
    ) -> CInt
  let updateText:
    (
      Connection, _ group: OpaquePointer, AvahiIfIndex, _ name: String, _ type: String,
      UnsafeMutablePointer<AvahiStringList>?
    ) -> CInt
  /// Adds an empty TXT record that is not unique.
  let addSharedText: (Connection, _ group: OpaquePointer, AvahiIfIndex, _ name: String) -> CInt

  /// No IP version in particular.
  static let anyVersion = AvahiProtocol(AVAHI_PROTO_UNSPEC)
}

struct AvahiError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Negative, one of `AVAHI_ERR_…`.
  let code: CInt

  init(_ code: CInt) { self.code = code }

  /// The library that is needed is not installed.
  static let notInstalled = AvahiError(CInt(AVAHI_ERR_NOT_SUPPORTED))

  var description: String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// A Boolean value that indicates whether a name is taken, by another host or by another program
  /// on this one.
  var isCollision: Bool { code == CInt(AVAHI_ERR_COLLISION) }
}

/// The conversion of bytes and strings between Avahi and Swift.
enum AvahiText {
  /// Returns the TXT entries that a resolver found, in the order of the wire and within the limits.
  ///
  /// Avahi's own list begins with the last entry of the wire. A list that a daemon sends over D-Bus
  /// has the opposite order. An entry has at most 255 bytes.
  static func entries(_ list: UnsafeMutablePointer<AvahiStringList>?, beginsWithLast: Bool) -> [[UInt8]] {
    var nodes: [UnsafeMutablePointer<AvahiStringList>] = []
    var next = list
    while let node = next {
      nodes.append(node)
      next = avahi_string_list_get_next(node)
    }
    if beginsWithLast { nodes.reverse() }
    // One entry more than permitted is returned, so that the reader notices that there were more.
    return nodes.prefix(DiscoveryLimits.textEntries + 1).map { node in
      Array(UnsafeBufferPointer(start: avahi_string_list_get_text(node), count: avahi_string_list_get_size(node)))
    }
  }

  /// Returns TXT entries as they are on the wire; `nil` if they are longer than
  /// `DiscoveryLimits.recordBytes`.
  static func wire(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [UInt8]? {
    let size = avahi_string_list_serialize(list, nil, 0)
    guard size <= DiscoveryLimits.recordBytes else { return nil }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = avahi_string_list_serialize(list, buffer.baseAddress, size)
    }
  }

  /// Returns the full name of an instance, with escapes; `nil` if it has no valid name.
  static func serviceName(_ instance: String, type: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1_024)
    guard avahi_service_name_join(&bytes, bytes.count, instance, type, "local") == 0 else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Lends a list of TXT entries, in the order of the wire, to a function of Avahi.
  static func withList<Result>(
    _ entries: [[UInt8]], _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result
  ) -> Result {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // Avahi puts each entry in front of the others, and turns the list round when it writes a
    // record.
    for entry in entries { list = avahi_string_list_add_arbitrary(list, entry, entry.count) }
    defer { avahi_string_list_free(list) }
    return body(list)
  }

  /// Reads an instance name; `nil` if it is empty, has more than 63 bytes, or is not UTF-8.
  static func instanceName(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text, let name = String(validatingCString: text) else { return nil }
    return (1...DiscoveryLimits.instanceNameBytes).contains(name.utf8.count) ? name : nil
  }

  /// Reads a full DNS name; `nil` if it is empty, has more than 1,024 bytes with its escapes, or is
  /// not UTF-8.
  static func hostName(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text, let name = String(validatingCString: text) else { return nil }
    return (1...1024).contains(name.utf8.count) ? name : nil
  }

  /// Returns an IPv4 address; `nil` if there is no address, or an address of another version.
  static func addressV4(_ address: UnsafePointer<AvahiAddress>?) -> IPAddress? {
    guard let address, address.pointee.proto == AvahiProtocol(AVAHI_PROTO_INET) else { return nil }
    return IPAddress(withUnsafeBytes(of: address.pointee.data) { Array($0.prefix(4)) })
  }

  static func withAddress<Result>(
    _ address: IPAddress, _ body: (UnsafeMutablePointer<AvahiAddress>) -> Result
  ) -> Result {
    var raw = AvahiAddress()
    raw.proto = AvahiProtocol(address.isV4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
    withUnsafeMutableBytes(of: &raw.data) { $0.copyBytes(from: address.bytes) }
    return body(&raw)
  }
}
