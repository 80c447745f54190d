import CAvahi
import CAvahiCore

/// Follows host, port and TXT of an instance inside the process.
final class EmbeddedServiceResolver: Lookup {
  private let responder: EmbeddedResponder
  private let handler: (ResolvedService) -> Void
  private var raw: OpaquePointer?

  /// Begin to resolve; addresses are looked up apart, since a resolver reports only one.
  init(
    responder: EmbeddedResponder, sighting: ServiceSighting, type: String,
    handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let server = try responder.open()
    let made = responder.library.avahi_s_service_resolver_new(
      server, AvahiIfIndex(bitPattern: sighting.interface), sighting.packetProtocol, sighting.instanceName, type,
      "local", AvahiProtocol(AVAHI_PROTO_UNSPEC),
      AvahiLookupFlags(AVAHI_LOOKUP_USE_MULTICAST.rawValue | AVAHI_LOOKUP_NO_ADDRESS.rawValue),
      { _, _, _, event, _, _, _, host, _, port, text, _, context in
        guard let context, event == AVAHI_RESOLVER_FOUND, let host = CText.hostName(host) else { return }
        Unmanaged<EmbeddedServiceResolver>.fromOpaque(context).takeUnretainedValue().handler(
          ResolvedService(host: host, port: port, text: CText.entries(text, beginsWithLast: true)))
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
    // A closed server has freed this already.
    if responder.server != nil { responder.library.avahi_s_service_resolver_free(raw) }
  }
}
