import CAvahi

/// Looks for instances through avahi-daemon.
final class DaemonServiceBrowser: Lookup {
  private let responder: DaemonResponder
  private let handler: (ServiceSighting) -> Void
  private var raw: OpaquePointer?

  /// Begin to look.
  init(
    responder: DaemonResponder, type: String, interface: UInt32, handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let client = try responder.open()
    let made = responder.library.avahi_service_browser_new(
      client, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), type, "local",
      AVAHI_LOOKUP_USE_MULTICAST,
      { _, interface, packetProtocol, event, name, _, _, _, context in
        guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
        guard let name = CText.instanceName(name) else { return }
        Unmanaged<DaemonServiceBrowser>.fromOpaque(context).takeUnretainedValue().handler(
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
    // A closed client has freed this already.
    if responder.client != nil { _ = responder.library.avahi_service_browser_free(raw) }
  }
}
