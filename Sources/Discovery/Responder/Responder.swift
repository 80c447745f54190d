/// Speaks mDNS: through avahi-daemon or inside the process.
///
/// Its members belong to the loop's thread.
protocol Responder: AnyObject {
  /// Make an empty group of records.
  ///
  /// - Parameter onState: called on the loop's thread, outside of Avahi's own call-back.
  /// - Throws: `AvahiError` when the back end refuses.
  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup

  /// Look for instances of a type on one interface.
  ///
  /// - Throws: `AvahiError` when the back end refuses.
  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Find and follow host, port and TXT of an instance.
  ///
  /// - Throws: `AvahiError` when the back end refuses.
  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Finds one IPv4 address of an instance.
  ///
  /// - Returns: `nil` if this back end finds records as quickly.
  /// - Throws: `AvahiError` when the back end refuses.
  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)?

  /// Find and follow all records of a name on one interface.
  ///
  /// - Throws: `AvahiError` when the back end refuses.
  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup

  /// Free everything at once, also what was made through this; goodbyes go out.
  ///
  /// There is no call-back after this.
  func close()
}
