import CAvahi

/// Announces records through avahi-daemon.
final class DaemonRecordGroup: RecordGroup {
  private let responder: DaemonResponder
  private let loop: DiscoveryLoop
  private let onState: (RecordGroupState) -> Void
  private var raw: OpaquePointer?

  /// Make an empty group.
  init(
    responder: DaemonResponder, loop: DiscoveryLoop, onState: @escaping (RecordGroupState) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.loop = loop
    self.onState = onState
    let client = try responder.open()
    let made = responder.library.avahi_entry_group_new(
      client,
      { _, state, context in
        guard let context else { return }
        Unmanaged<DaemonRecordGroup>.fromOpaque(context).takeUnretainedValue().changed(to: state)
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
      guard let self, raw != nil, responder.client != nil else { return }
      onState(news)
    }
  }

  func addAddress(_ address: AddressBytes, host: String, interface: UInt32) throws(AvahiError) {
    let group = try open()
    try AvahiError.check(
      CText.withAddress(address) {
        responder.library.avahi_entry_group_add_address(
          group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE,
          host, $0)
      })
  }

  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError) {
    let group = try open()
    // The cookie that Avahi may add would name this machine for as long as its daemon runs.
    try AvahiError.check(
      CText.withList(text) {
        responder.library.avahi_entry_group_add_service_strlst(
          group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_COOKIE,
          name, type, "local", host, port, $0)
      })
  }

  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError) {
    let group = try open()
    try AvahiError.check(
      CText.withList(text) {
        responder.library.avahi_entry_group_update_service_txt_strlst(
          group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_COOKIE,
          name, type, "local", $0)
      })
  }

  func addSharedText(name: String, interface: UInt32) throws(AvahiError) {
    let group = try open()
    let emptyText: [UInt8] = [0]
    try AvahiError.check(
      responder.library.avahi_entry_group_add_record(
        group, AvahiIfIndex(bitPattern: interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
        UInt16(AVAHI_DNS_CLASS_IN), UInt16(AVAHI_DNS_TYPE_TXT), 10, emptyText, emptyText.count))
  }

  func commit() throws(AvahiError) {
    try AvahiError.check(responder.library.avahi_entry_group_commit(try open()))
  }

  func close() {
    guard let raw else { return }
    self.raw = nil
    // A closed client has freed this already.
    if responder.client != nil { _ = responder.library.avahi_entry_group_free(raw) }
  }

  private func open() throws(AvahiError) -> OpaquePointer {
    guard let raw, responder.client != nil else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return raw
  }
}
