/// A back end that speaks mDNS, whose members belong to the loop's thread.
protocol Responder: AnyObject {
  /// Creates an empty group of records.
  ///
  /// - Parameter onState: Called on the loop's thread, outside of Avahi's own callback.
  /// - Returns: The group.
  /// - Throws: `AvahiError` if the back end refuses.
  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup

  /// Looks for the instances of a type on one interface.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Follows the host, the port and the TXT record of an instance.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Finds one IPv4 address of an instance.
  ///
  /// - Returns: `nil` if this back end finds records as quickly.
  /// - Throws: `AvahiError` if the back end refuses.
  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)?

  /// Follows all records of a name on one interface.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Frees everything that was made through the responder, with goodbyes; there is no call-back
  /// after this.
  func close()
}

/// The state of a back end.
enum ResponderState: Hashable, Sendable {
  /// The back end is not there; its arrival will be reported.
  case absent

  /// The back end is there and gets ready.
  case preparing

  /// The back end works.
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
