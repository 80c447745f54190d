import CAvahi
import LatchkeySystem

final class AvahiRecordGroup: AvahiObject, RecordGroup {
  private let loop: DiscoveryLoop
  private let onState: (RecordGroupState) -> Void

  init(
    responder: AvahiResponder, loop: DiscoveryLoop, onState: @escaping (RecordGroupState) -> Void
  ) throws(AvahiError) {
    (self.loop, self.onState) = (loop, onState)
    try super.init(responder: responder, free: responder.functions.freeGroup, make: responder.functions.makeGroup)
  }

  /// Reports a state in the next turn, outside of Avahi's call-back.
  func changed(to state: AvahiEntryGroupState) {
    let news: RecordGroupState
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED: news = .established
    case AVAHI_ENTRY_GROUP_COLLISION: news = .collision
    case AVAHI_ENTRY_GROUP_FAILURE: news = .failure(responder.lastError)
    default: return
    }
    loop.later { [weak self] in
      guard let self, raw != nil, responder.connection != nil else { return }
      onState(news)
    }
  }

  func addAddress(_ address: IPAddress, host: String, interface: UInt32) throws(AvahiError) {
    let (connection, group) = try open()
    try responder.check(
      AvahiText.withAddress(address) {
        responder.functions.addAddress(connection, group, AvahiIfIndex(bitPattern: interface), host, $0)
      })
  }

  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError) {
    let (connection, group) = try open()
    // The record must not contain the cookie that Avahi may add, which would identify this machine
    // for as long as its daemon runs.
    try responder.check(
      AvahiText.withList(text) {
        responder.functions.addService(
          connection, group, AvahiIfIndex(bitPattern: interface), name, type, host, port, $0)
      })
  }

  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError) {
    let (connection, group) = try open()
    try responder.check(
      AvahiText.withList(text) {
        responder.functions.updateText(connection, group, AvahiIfIndex(bitPattern: interface), name, type, $0)
      })
  }

  func addSharedText(name: String, interface: UInt32) throws(AvahiError) {
    let (connection, group) = try open()
    try responder.check(responder.functions.addSharedText(connection, group, AvahiIfIndex(bitPattern: interface), name))
  }

  func commit() throws(AvahiError) { try responder.check(responder.functions.commit(try open().group)) }

  private func open() throws(AvahiError) -> (connection: OpaquePointer, group: OpaquePointer) {
    guard let raw else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return (try responder.open(), raw)
  }
}
