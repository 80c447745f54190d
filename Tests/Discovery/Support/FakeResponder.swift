import LatchkeySystem

@testable import LatchkeyDiscovery

/// A substitute for Avahi that records requests and answers as a test determines.
final class FakeResponder: Responder {
  final class Group: RecordGroup {
    var addresses: [IPAddress] = []
    var host = ""
    var name: String?
    var port: UInt16 = 0
    var text: [[UInt8]] = []
    var isCommitted = false
    var isClosed = false
    var nextError: AvahiError?
    let report: (RecordGroupState) -> Void

    init(_ report: @escaping (RecordGroupState) -> Void) {
      self.report = report
    }

    func addAddress(_ address: IPAddress, host: String, interface: UInt32) throws(AvahiError) {
      addresses.append(address)
      self.host = host
    }

    func addService(
      name: String, type: String, host: String, port: UInt16, text: [[UInt8]], interface: UInt32
    ) throws(AvahiError) {
      if let nextError { throw nextError }
      (self.name, self.host, self.port, self.text) = (name, host, port, text)
    }

    func updateText(name: String, type: String, text: [[UInt8]], interface: UInt32) throws(AvahiError) {
      self.text = text
    }

    func addSharedText(name: String, interface: UInt32) throws(AvahiError) {}
    func commit() throws(AvahiError) { isCommitted = true }
    func close() { isClosed = true }
  }

  final class Call: Lookup {
    let name: String
    let interface: UInt32
    let type: UInt16
    var isClosed = false
    var service: (ServiceSighting) -> Void = { _ in }
    var resolved: (ResolvedService) -> Void = { _ in }
    var record: (SeenRecord) -> Void = { _ in }

    init(_ name: String, _ interface: UInt32, type: UInt16 = 0) {
      (self.name, self.interface, self.type) = (name, interface, type)
    }

    func close() { isClosed = true }
  }

  var groups: [Group] = []
  var browsers: [Call] = []
  var resolvers: [Call] = []
  var records: [Call] = []
  var addressResolvers: [Call] = []
  /// A Boolean value that indicates whether addresses are found apart from records, as a daemon
  /// does.
  var findsAddresses = false
  var refusal: AvahiError?

  /// Groups that are announced now.
  var live: [Group] { groups.filter { $0.isCommitted && !$0.isClosed } }

  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup {
    let group = Group(onState)
    group.nextError = refusal
    groups.append(group)
    return group
  }

  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup {
    let call = Call(type, interface)
    call.service = handler
    browsers.append(call)
    return call
  }

  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup {
    if let refusal { throw refusal }
    let call = Call(sighting.instanceName, sighting.interface, type: UInt16(sighting.packetProtocol))
    call.resolved = handler
    resolvers.append(call)
    return call
  }

  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)? {
    guard findsAddresses else { return nil }
    let call = Call(sighting.instanceName, sighting.interface, type: UInt16(sighting.packetProtocol))
    call.record = handler
    addressResolvers.append(call)
    return call
  }

  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup {
    let call = Call(name, interface, type: type)
    call.record = handler
    records.append(call)
    return call
  }

  func close() {}
}
