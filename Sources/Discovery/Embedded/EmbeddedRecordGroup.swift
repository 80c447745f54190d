import CAvahi
import CAvahiCore

/// Announces records from inside the process.
final class EmbeddedRecordGroup: RecordGroup {
  private let responder: EmbeddedResponder
  private let loop: DiscoveryLoop
  private let onState: (RecordGroupState) -> Void
  private var raw: OpaquePointer?

  /// Make an empty group.
  init(
    responder: EmbeddedResponder, loop: DiscoveryLoop, onState: @escaping (RecordGroupState) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.loop = loop
    self.onState = onState
    let server = try responder.open()
    let made = responder.library.avahi_s_entry_group_new(
      server,
      { _, _, state, context in
        guard let context else { return }
        Unmanaged<EmbeddedRecordGroup>.fromOpaque(context).takeUnretainedValue().changed(to: state)
      }, Unmanaged.passUnretained(self).toOpaque())
    guard let made else { throw responder.lastError() }
    raw = made
  }

  deinit {
    close()
  }

  private func changed(to state: AvahiEntryGroupState) {
    let news: RecordGroupState
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED: news = .established
    case AVAHI_ENTRY_GROUP_COLLISION: news = .collision
    case AVAHI_ENTRY_GROUP_FAILURE: news = .failure(responder.lastError())
    default: return
    }
    loop.later { [weak self] in
      guard let self, raw != nil, responder.server != nil else { return }
      onState(news)
    }
  }

  func addAddress(_ address: AddressBytes, host: String, interface: UInt32) throws(AvahiError) {
    let (server, group) = try open()
    try AvahiError.check(
      CText.withAddress(address) {
        responder.library.avahi_server_add_address(
          server, group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AVAHI_PUBLISH_NO_REVERSE, host, $0)
      })
  }

  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError) {
    let (server, group) = try open()
    try AvahiError.check(
      CText.withList(text) {
        responder.library.avahi_server_add_service_strlst(
          server, group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AVAHI_PUBLISH_NO_COOKIE, name, type, "local", host, port, $0)
      })
  }

  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError) {
    let (server, group) = try open()
    try AvahiError.check(
      CText.withList(text) {
        responder.library.avahi_server_update_service_txt_strlst(
          server, group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AVAHI_PUBLISH_NO_COOKIE, name, type, "local", $0)
      })
  }

  func addSharedText(name: String, interface: UInt32) throws(AvahiError) {
    // Only a daemon is asked to prove what it serves; the stack in the process was told.
    throw AvahiError(CInt(AVAHI_ERR_INVALID_OPERATION))
  }

  func commit() throws(AvahiError) {
    try AvahiError.check(responder.library.avahi_s_entry_group_commit(try open().group))
  }

  func close() {
    guard let raw else { return }
    self.raw = nil
    // A closed server has freed this already.
    if responder.server != nil { responder.library.avahi_s_entry_group_free(raw) }
  }

  private func open() throws(AvahiError) -> (server: OpaquePointer, group: OpaquePointer) {
    guard let raw, let server = responder.server else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return (server, raw)
  }
}
