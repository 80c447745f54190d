import CAvahi
import CAvahiCore

/// Follows the address or TXT records of a name inside the process.
final class EmbeddedRecordBrowser: Lookup {
  private let responder: EmbeddedResponder
  private let handler: (SeenRecord) -> Void
  private var raw: OpaquePointer?

  /// Begin to look.
  init(
    responder: EmbeddedResponder, name: String, type: UInt16, interface: UInt32,
    handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.handler = handler
    let server = try responder.open()
    guard let key = responder.library.avahi_key_new(name, UInt16(AVAHI_DNS_CLASS_IN), type) else {
      throw AvahiError(CInt(AVAHI_ERR_NO_MEMORY))
    }
    defer { responder.library.avahi_key_unref(key) }
    let made = responder.library.avahi_s_record_browser_new(
      server, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
      AVAHI_LOOKUP_USE_MULTICAST,
      { _, _, packetProtocol, event, record, _, context in
        guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
        guard let record, let data = EmbeddedRecordBrowser.data(record.pointee) else { return }
        Unmanaged<EmbeddedRecordBrowser>.fromOpaque(context).takeUnretainedValue().handler(
          SeenRecord(data: data, packetProtocol: packetProtocol, appeared: event == AVAHI_BROWSER_NEW))
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
    if responder.server != nil { responder.library.avahi_s_record_browser_free(raw) }
  }

  /// The bytes of an A, AAAA or TXT record; nil for all others.
  private static func data(_ record: AvahiRecord) -> [UInt8]? {
    switch record.key.map({ Int($0.pointee.type) }) {
    case AVAHI_DNS_TYPE_A: withUnsafeBytes(of: record.data.a.address) { Array($0.prefix(4)) }
    case AVAHI_DNS_TYPE_AAAA: withUnsafeBytes(of: record.data.aaaa.address) { Array($0.prefix(16)) }
    case AVAHI_DNS_TYPE_TXT: CText.wire(record.data.txt.string_list)
    default: nil
    }
  }
}
