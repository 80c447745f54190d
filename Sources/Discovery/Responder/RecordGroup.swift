import LatchkeySystem

/// Records that are announced together.
protocol RecordGroup: AnyObject {
  /// Adds an address record without a reverse record, so that several processes may share an
  /// address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - host: A full name, such as `x.local`.
  ///   - interface: The interface on which to announce it.
  /// - Throws: `AvahiError` if the back end refuses.
  func addAddress(_ address: IPAddress, host: String, interface: UInt32) throws(AvahiError)

  /// Adds the records of a service instance.
  ///
  /// - Parameters:
  ///   - name: The instance's name.
  ///   - type: The DNS-SD type.
  ///   - host: A full name, such as `x.local`.
  ///   - port: The TCP port.
  ///   - text: The TXT entries, each of at most 255 bytes.
  ///   - interface: The interface on which to announce it.
  /// - Throws: `AvahiError` if the back end refuses.
  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError)

  /// Replaces the TXT entries of an instance that was added before.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError)

  /// Adds a TXT record that is not unique and is therefore announced without probing.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func addSharedText(name: String, interface: UInt32) throws(AvahiError)

  /// Begins to announce the records that were added.
  ///
  /// - Throws: `AvahiError` if the back end refuses.
  func commit() throws(AvahiError)

  /// Withdraws all records with a goodbye.
  ///
  /// It may be called more than once, and after the responder was closed.
  func close()
}

/// The state of a group of records.
enum RecordGroupState: Hashable, Sendable {
  case established

  /// Another host owns one of the names; all records are withdrawn.
  case collision

  /// The back end gave up; all records are withdrawn.
  case failure(AvahiError)
}
