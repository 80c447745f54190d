import CAvahi

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

/// One of Avahi's error numbers.
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
