import CAvahi

/// Speaks mDNS through the system's avahi-daemon over D-Bus.
final class DaemonResponder: Responder {
  private let loop: DiscoveryLoop
  private let onState: (ResponderState) -> Void

  /// The functions of libavahi-client.
  let library: AvahiClientLibrary

  /// Avahi's client while it is open.
  private(set) var client: OpaquePointer?

  /// Connect to the system's bus; a daemon that is not there yet is waited for.
  ///
  /// - Parameters:
  ///   - loop: the loop to run on.
  ///   - onState: called in a later turn of the loop, never after `close`.
  /// - Throws: `AvahiError` when there is no bus or no libavahi-client.
  init(loop: DiscoveryLoop, onState: @escaping (ResponderState) -> Void) throws(AvahiError) {
    library = try ClientLibrary.load()
    self.loop = loop
    self.onState = onState
    var code: CInt = 0
    let made = library.avahi_client_new(
      loop.api, AVAHI_CLIENT_NO_FAIL,
      { client, state, context in
        guard let client, let context else { return }
        Unmanaged<DaemonResponder>.fromOpaque(context).takeUnretainedValue().changed(client, to: state)
      }, Unmanaged.passUnretained(self).toOpaque(), &code)
    guard let made else { throw AvahiError(code) }
    client = made
  }

  deinit {
    close()
  }

  /// Avahi calls this first from inside `avahi_client_new`, so the news waits for the next turn.
  private func changed(_ client: OpaquePointer, to state: AvahiClientState) {
    let news: ResponderState
    switch state {
    case AVAHI_CLIENT_S_RUNNING: news = .running
    case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: news = .preparing
    case AVAHI_CLIENT_CONNECTING: news = .absent
    default: news = .failed(AvahiError(library.avahi_client_errno(client)))
    }
    loop.later { [weak self] in
      guard let self, self.client != nil else { return }
      onState(news)
    }
  }

  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup {
    try DaemonRecordGroup(responder: self, loop: loop, onState: onState)
  }

  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup {
    try DaemonServiceBrowser(responder: self, type: type, interface: interface, handler: handler)
  }

  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup {
    try DaemonServiceResolver(responder: self, sighting: sighting, type: type, handler: handler)
  }

  /// A daemon begins to browse for records 10 ms after it is asked to, and resolves a service at once.
  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)? {
    try DaemonServiceResolver(responder: self, sighting: sighting, type: type, wantsAddress: true) { service in
      guard let address = service.address else { return }
      handler(SeenRecord(data: address.bytes, packetProtocol: sighting.packetProtocol, appeared: true))
    }
  }

  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup {
    try DaemonRecordBrowser(responder: self, name: name, type: type, interface: interface, handler: handler)
  }

  /// Free the client and, with it, all that was made through it.
  ///
  /// The bus is left first, so nothing blocks, and the daemon says goodbye for us when it sees that.
  func close() {
    guard let client else { return }
    self.client = nil
    library.avahi_client_free(client)
  }

  /// The client, or the error that it is closed.
  func open() throws(AvahiError) -> OpaquePointer {
    guard let client else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return client
  }

  /// The client's last error, for functions that only return nil.
  func lastError() -> AvahiError {
    AvahiError(client.map { library.avahi_client_errno($0) } ?? CInt(AVAHI_ERR_BAD_STATE))
  }
}
