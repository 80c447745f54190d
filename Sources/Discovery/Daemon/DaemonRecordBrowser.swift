import CAvahi

/// Follows all records of a name through avahi-daemon.
final class DaemonRecordBrowser: Lookup {
  private let responder: DaemonResponder
  private let handler: (SeenRecord) -> Void
  private var raw: OpaquePointer?

  /// Begin to look.
  init(
    responder: DaemonResponder, name: String, type: UInt16, interface: UInt32,
    handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let client = try responder.open()
    let made = responder.library.avahi_record_browser_new(
      client, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), name,
      UInt16(AVAHI_DNS_CLASS_IN), type, AVAHI_LOOKUP_USE_MULTICAST,
      { _, _, packetProtocol, event, _, _, _, data, size, _, context in
        guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
        // What is longer is more than anybody reads of it.
        let bytes =
          data.map { Array(UnsafeRawBufferPointer(start: $0, count: min(size, DiscoveryLimits.recordBytes))) } ?? []
        Unmanaged<DaemonRecordBrowser>.fromOpaque(context).takeUnretainedValue().handler(
          SeenRecord(data: bytes, packetProtocol: packetProtocol, appeared: event == AVAHI_BROWSER_NEW))
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
    if responder.client != nil { _ = responder.library.avahi_record_browser_free(raw) }
  }
}
