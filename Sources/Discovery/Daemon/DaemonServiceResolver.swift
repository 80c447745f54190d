import CAvahi

/// Follows host, port and TXT of an instance through avahi-daemon.
final class DaemonServiceResolver: Lookup {
  private let responder: DaemonResponder
  private let handler: (ResolvedService) -> Void
  private var raw: OpaquePointer?

  /// Begins to resolve.
  ///
  /// - Parameter wantsAddress: whether to find an IPv4 address, too, without which nothing is reported. All addresses are
  ///   looked up apart, since a resolver reports only one.
  init(
    responder: DaemonResponder, sighting: ServiceSighting, type: String, wantsAddress: Bool = false,
    handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let client = try responder.open()
    let made = responder.library.avahi_service_resolver_new(
      client, AvahiIfIndex(bitPattern: sighting.interface), sighting.packetProtocol, sighting.instanceName, type,
      "local", AvahiProtocol(wantsAddress ? AVAHI_PROTO_INET : AVAHI_PROTO_UNSPEC),
      AvahiLookupFlags(
        AVAHI_LOOKUP_USE_MULTICAST.rawValue | (wantsAddress ? 0 : AVAHI_LOOKUP_NO_ADDRESS.rawValue)),
      { _, _, _, event, _, _, _, host, address, port, text, _, context in
        guard let context, event == AVAHI_RESOLVER_FOUND, let host = CText.hostName(host) else { return }
        Unmanaged<DaemonServiceResolver>.fromOpaque(context).takeUnretainedValue().handler(
          ResolvedService(
            host: host, port: port, text: CText.entries(text, beginsWithLast: false),
            address: CText.addressV4(address)))
      }, Unmanaged.passUnretained(self).toOpaque())
    guard let made else { throw responder.lastError() }
    raw = made
  }

  deinit {
    close()
  }

  func close() {
    guard let raw else { return }
    self.raw = nil
    // A closed client has freed this already.
    if responder.client != nil { _ = responder.library.avahi_service_resolver_free(raw) }
  }
}
