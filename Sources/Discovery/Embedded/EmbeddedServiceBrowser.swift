import CAvahi
import CAvahiCore

/// Looks for instances inside the process.
final class EmbeddedServiceBrowser: Lookup {
  private let responder: EmbeddedResponder
  private let handler: (ServiceSighting) -> Void
  private var raw: OpaquePointer?

  /// Begin to look.
  init(
    responder: EmbeddedResponder, type: String, interface: UInt32, handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let server = try responder.open()
    let made = responder.library.avahi_s_service_browser_new(
      server, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), type, "local",
      AVAHI_LOOKUP_USE_MULTICAST,
      { _, interface, packetProtocol, event, name, _, _, _, context in
        guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
        guard let name = CText.instanceName(name) else { return }
        Unmanaged<EmbeddedServiceBrowser>.fromOpaque(context).takeUnretainedValue().handler(
          ServiceSighting(
            instanceName: name, interface: UInt32(bitPattern: interface), packetProtocol: packetProtocol,
            appeared: event == AVAHI_BROWSER_NEW))
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
    if responder.server != nil { responder.library.avahi_s_service_browser_free(raw) }
  }
}
