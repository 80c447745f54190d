/// Collects records that are announced together.
protocol RecordGroup: AnyObject {
  /// Add an address record without a reverse record, so that several processes may share an address.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - host: a full name such as `x.local`.
  ///   - interface: where to announce it.
  /// - Throws: `AvahiError`.
  func addAddress(_ address: AddressBytes, host: String, interface: UInt32) throws(AvahiError)

  /// Add the records of a service instance.
  ///
  /// - Parameters:
  ///   - name: the instance.
  ///   - type: the DNS-SD type.
  ///   - host: a full name such as `x.local`.
  ///   - port: the TCP port.
  ///   - text: TXT entries, each of at most 255 bytes.
  ///   - interface: where to announce it.
  /// - Throws: `AvahiError`.
  func addService(
    name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
  ) throws(AvahiError)

  /// Replace the TXT entries of an instance that was added before.
  ///
  /// - Throws: `AvahiError`.
  func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError)

  /// Add a TXT record that is not unique and therefore announced without probing.
  ///
  /// - Throws: `AvahiError`.
  func addSharedText(name: String, interface: UInt32) throws(AvahiError)

  /// Begin to announce what was added.
  ///
  /// - Throws: `AvahiError`.
  func commit() throws(AvahiError)

  /// Withdraw all records; goodbyes go out. It may be called more than once and after its responder was closed.
  func close()
}
