import CAvahi

/// An mDNS responder that uses Avahi: the system's avahi-daemon over D-Bus, or the stack inside
/// this process.
///
/// Objects created through it are freed with it.
///
/// Spec: Protocol/02-discovery.md §5.
final class AvahiResponder: Responder {
  private let loop: DiscoveryLoop
  private let onState: (ResponderState) -> Void

  let functions: AvahiFunctions
  /// Avahi's client or server while it is open.
  ///
  /// Only the initialisers in the libraries' files set it.
  var connection: OpaquePointer?

  init(_ functions: AvahiFunctions, loop: DiscoveryLoop, onState: @escaping (ResponderState) -> Void) {
    (self.functions, self.loop, self.onState) = (functions, loop, onState)
  }

  deinit { close() }

  static func of(_ context: UnsafeMutableRawPointer) -> AvahiResponder {
    Unmanaged<AvahiResponder>.fromOpaque(context).takeUnretainedValue()
  }

  /// Reports a state in the next turn, since Avahi first calls back from inside the function that
  /// creates the connection.
  func changed(to state: ResponderState) {
    loop.later { [weak self] in
      guard let self, connection != nil else { return }
      onState(state)
    }
  }

  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup {
    try AvahiRecordGroup(responder: self, loop: loop, onState: onState)
  }

  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup {
    try AvahiLookup(responder: self, free: functions.freeServiceBrowser, report: handler) { connection, context in
      functions.browseServices(
        connection, AvahiIfIndex(bitPattern: interface), type,
        { _, interface, packetProtocol, event, name, _, _, _, context in
          guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
          guard let name = AvahiText.instanceName(name) else { return }
          AvahiLookup<ServiceSighting>.of(context).report(
            ServiceSighting(
              instanceName: name, interface: UInt32(bitPattern: interface), packetProtocol: packetProtocol,
              appeared: event == AVAHI_BROWSER_NEW))
        }, context)
    }
  }

  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup {
    // All addresses are looked up separately, since a resolver reports only one.
    try resolve(sighting, type: type, AvahiFunctions.anyVersion, AVAHI_LOOKUP_NO_ADDRESS, handler)
  }

  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)? {
    guard functions.resolvesAddresses else { return nil }
    return try resolve(sighting, type: type, AvahiProtocol(AVAHI_PROTO_INET), AvahiLookupFlags(0)) { service in
      guard let address = service.address else { return }
      handler(SeenRecord(data: address.bytes, packetProtocol: sighting.packetProtocol, appeared: true))
    }
  }

  private func resolve(
    _ sighting: ServiceSighting, type: String, _ version: AvahiProtocol, _ flags: AvahiLookupFlags,
    _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup {
    try AvahiLookup(responder: self, free: functions.freeServiceResolver, report: handler) { connection, context in
      functions.resolveService(
        connection, sighting, type, version, AvahiLookupFlags(AVAHI_LOOKUP_USE_MULTICAST.rawValue | flags.rawValue),
        { _, _, _, event, _, _, _, host, address, port, text, _, context in
          guard let context, event == AVAHI_RESOLVER_FOUND, let host = AvahiText.hostName(host) else { return }
          let lookup = AvahiLookup<ResolvedService>.of(context)
          let entries = AvahiText.entries(text, beginsWithLast: lookup.responder.functions.textBeginsWithLast)
          lookup.report(ResolvedService(host: host, port: port, text: entries, address: AvahiText.addressV4(address)))
        }, context)
    }
  }

  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup {
    try AvahiLookup(responder: self, free: functions.freeRecordBrowser, report: handler) { connection, context in
      functions.browseRecords(connection, AvahiIfIndex(bitPattern: interface), name, type, context)
    }
  }

  /// Ends the connection and frees everything that was created through it.
  ///
  /// With a daemon, the connection to the bus is closed first, so that nothing blocks; the daemon
  /// then says goodbye on this process's behalf. The stack inside the process says goodbye first.
  func close() {
    guard let connection = connection.take() else { return }
    functions.close(connection)
  }

  func open() throws(AvahiError) -> OpaquePointer {
    guard let connection else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return connection
  }

  /// Throws an `AvahiError` if the result of an Avahi function is negative.
  func check(_ result: CInt) throws(AvahiError) {
    note(result)
    if result < 0 { throw AvahiError(result) }
  }

  /// Reports that the connection has failed, if the result of a function is one of `losses`.
  func note(_ result: CInt) { if functions.losses.contains(result) { changed(to: .failed(AvahiError(result))) } }

  /// Returns the error of a function that only returned `nil`.
  func failure() -> AvahiError {
    let error = lastError
    note(error.code)
    return error
  }

  var lastError: AvahiError { AvahiError(connection.map(functions.lastError) ?? CInt(AVAHI_ERR_BAD_STATE)) }
}

/// An object of Avahi that was created through a responder.
class AvahiObject {
  let responder: AvahiResponder
  private let free: (OpaquePointer) -> CInt
  private(set) var raw: OpaquePointer?

  /// Creates the object.
  ///
  /// `make` creates Avahi's object from the connection and the callback's context, which `of`
  /// converts back. Throws `AvahiError` if the connection is closed or Avahi refuses.
  init(
    responder: AvahiResponder, free: @escaping (OpaquePointer) -> CInt,
    make: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) throws(AvahiError) {
    (self.responder, self.free) = (responder, free)
    let connection = try responder.open()
    guard let made = make(connection, Unmanaged.passUnretained(self).toOpaque()) else { throw responder.failure() }
    raw = made
  }

  deinit { close() }

  /// Returns the object behind the context of a call-back.
  static func of(_ context: UnsafeMutableRawPointer) -> Self {
    Unmanaged<Self>.fromOpaque(context).takeUnretainedValue()
  }

  func close() {
    guard let raw = raw.take() else { return }
    // A closed connection has freed this already.
    if responder.connection != nil { responder.note(free(raw)) }
  }
}

/// A search through Avahi: for the instances of a type, the host and port of an instance, or the
/// records of a name.
final class AvahiLookup<Found>: AvahiObject, Lookup {
  /// Called for each result, from inside Avahi's own callback.
  let report: (Found) -> Void

  /// Begins the search; throws `AvahiError` if the connection is closed or Avahi refuses.
  init(
    responder: AvahiResponder, free: @escaping (OpaquePointer) -> CInt, report: @escaping (Found) -> Void,
    make: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) throws(AvahiError) {
    self.report = report
    try super.init(responder: responder, free: free, make: make)
  }
}
