import LatchkeySystem

/// A back end that speaks mDNS.
///
/// Its members belong to the loop's thread.
///
/// It throws `AvahiError` if it refuses.
protocol Responder: AnyObject {
  /// Creates an empty group of records; `onState` is called outside of Avahi's own callback.
  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup

  /// Looks for the instances of a type on one interface.
  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Follows the host, the port and the TXT record of an instance.
  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Finds one IPv4 address of an instance; returns `nil` if this back end finds records as
  /// quickly.
  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)?

  /// Follows all records of a name on one interface.
  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Frees everything that was made through the responder, with goodbyes; there is no call-back
  /// after this.
  func close()
}

enum ResponderState: Hashable, Sendable {
  /// The back end is not there; its arrival will be reported.
  case absent
  case preparing
  case running
  /// The back end is broken; close it and create a new one.
  case failed(AvahiError)
}

/// A search that continues until it is closed.
protocol Lookup: AnyObject {
  /// Stops looking; there is no call-back after this.
  ///
  /// It may be called more than once, and after the responder was closed.
  func close()
}

/// Records that are announced together.
///
/// A host is a full name, such as `x.local`. `AvahiError` is thrown if the back end refuses.
protocol RecordGroup: AnyObject {
  /// Adds an address record without a reverse record, so that several processes may share an
  /// address.
  func addAddress(_ address: IPAddress, host: String, interface: UInt32) throws(AvahiError)

  /// Adds the records of a service instance, with TXT entries of at most 255 bytes each.
  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError)

  /// Replaces the TXT entries of an instance that was added before.
  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError)

  /// Adds a TXT record that is not unique and is therefore announced without probing.
  func addSharedText(name: String, interface: UInt32) throws(AvahiError)

  /// Begins to announce the records that were added.
  func commit() throws(AvahiError)

  /// Withdraws all records with a goodbye.
  ///
  /// It may be called more than once, and after the responder was closed.
  func close()
}

enum RecordGroupState: Hashable, Sendable {
  case established
  /// Another host owns one of the names; all records are withdrawn.
  case collision
  /// The back end gave up; all records are withdrawn.
  case failure(AvahiError)
}

/// The appearance or disappearance of an instance on one interface and protocol.
struct ServiceSighting: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String
  var interface: UInt32
  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32
  /// A Boolean value that indicates whether it appeared; otherwise it disappeared.
  var appeared: Bool
}

/// The host and the port of an instance, with its TXT entries.
struct ResolvedService: Hashable, Sendable {
  /// The full name of its host.
  var host: String
  var port: UInt16
  /// The TXT entries within the limits, any bytes.
  var text: [[UInt8]]
  /// An IPv4 address of the host, if one was asked for.
  var address: IPAddress?
}

struct SeenRecord: Hashable, Sendable {
  /// The record's data as it is on the wire; for addresses, 4 or 16 bytes.
  var data: [UInt8]
  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32
  /// A Boolean value that indicates whether it appeared; otherwise it disappeared.
  var appeared: Bool
}
