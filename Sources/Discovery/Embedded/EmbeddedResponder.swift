import CAvahi
import CAvahiCore

/// Speaks mDNS inside this process, on named interfaces only.
final class EmbeddedResponder: Responder {
  private let loop: DiscoveryLoop
  private let onState: (ResponderState) -> Void

  /// The functions of libavahi-core.
  let library: AvahiCoreLibrary

  /// Avahi's server while it is open.
  private(set) var server: OpaquePointer?

  /// Open the sockets and join the multicast groups.
  ///
  /// - Parameters:
  ///   - loop: the loop to run on.
  ///   - interfaces: the only ones on which anything is sent or heard; at least one.
  ///   - onState: called in a later turn of the loop, never after `close`.
  /// - Throws: `AvahiError` when port 5353 cannot be shared or there is no multicast.
  init(
    loop: DiscoveryLoop, interfaces: [NetworkInterface], onState: @escaping (ResponderState) -> Void
  ) throws(AvahiError) {
    library = try CoreLibrary.load()
    self.loop = loop
    self.onState = onState
    // To Avahi an empty list means every interface of the machine.
    guard !interfaces.isEmpty else { throw AvahiError(CInt(AVAHI_ERR_INVALID_INTERFACE)) }
    var configuration = AvahiServerConfig()
    _ = library.avahi_server_config_init(&configuration)
    defer { library.avahi_server_config_free(&configuration) }
    for interface in interfaces {
      configuration.allow_interfaces = avahi_string_list_add(configuration.allow_interfaces, interface.name)
    }
    // Never published, but without it Avahi would take the machine's own.
    configuration.host_name = avahi_strdup(RandomLabel.make())
    configuration.use_ipv4 = 1
    configuration.use_ipv6 = 1
    configuration.publish_addresses = 0
    configuration.publish_hinfo = 0
    configuration.publish_workstation = 0
    configuration.publish_domain = 0
    configuration.publish_a_on_ipv6 = 1
    configuration.publish_aaaa_on_ipv4 = 1
    configuration.add_service_cookie = 0
    configuration.enable_reflector = 0
    configuration.enable_wide_area = 0
    configuration.disallow_other_stacks = 0
    configuration.allow_point_to_point = interfaces.contains(where: \.isPointToPoint) ? 1 : 0
    configuration.n_cache_entries_max = 4096
    configuration.ratelimit_interval = 1_000_000
    configuration.ratelimit_burst = 1000
    var code: CInt = 0
    let made = library.avahi_server_new(
      loop.api, &configuration,
      { server, state, context in
        guard let server, let context else { return }
        Unmanaged<EmbeddedResponder>.fromOpaque(context).takeUnretainedValue().changed(server, to: state)
      }, Unmanaged.passUnretained(self).toOpaque(), &code)
    guard let made else { throw AvahiError(code) }
    server = made
  }

  deinit {
    close()
  }

  /// Avahi calls this first from inside `avahi_server_new`, so the news waits for the next turn.
  private func changed(_ server: OpaquePointer, to state: AvahiServerState) {
    let news: ResponderState
    switch state {
    case AVAHI_SERVER_RUNNING: news = .running
    case AVAHI_SERVER_FAILURE: news = .failed(AvahiError(library.avahi_server_errno(server)))
    default: news = .preparing
    }
    loop.later { [weak self] in
      guard let self, self.server != nil else { return }
      onState(news)
    }
  }

  func makeGroup(_ onState: @escaping (RecordGroupState) -> Void) throws(AvahiError) -> any RecordGroup {
    try EmbeddedRecordGroup(responder: self, loop: loop, onState: onState)
  }

  func browseServices(
    type: String, interface: UInt32, _ handler: @escaping (ServiceSighting) -> Void
  ) throws(AvahiError) -> any Lookup {
    try EmbeddedServiceBrowser(responder: self, type: type, interface: interface, handler: handler)
  }

  func resolveService(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (ResolvedService) -> Void
  ) throws(AvahiError) -> any Lookup {
    try EmbeddedServiceResolver(responder: self, sighting: sighting, type: type, handler: handler)
  }

  func resolveAddress(
    _ sighting: ServiceSighting, type: String, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> (any Lookup)? {
    // Its browsers tell what is known already in the next turn.
    nil
  }

  func browseRecords(
    name: String, type: UInt16, interface: UInt32, _ handler: @escaping (SeenRecord) -> Void
  ) throws(AvahiError) -> any Lookup {
    try EmbeddedRecordBrowser(responder: self, name: name, type: type, interface: interface, handler: handler)
  }

  /// Free the server and, with it, all that was made through it; it sends goodbyes first.
  func close() {
    guard let server else { return }
    self.server = nil
    library.avahi_server_free(server)
  }

  /// The server, or the error that it is closed.
  func open() throws(AvahiError) -> OpaquePointer {
    guard let server else { throw AvahiError(CInt(AVAHI_ERR_BAD_STATE)) }
    return server
  }

  /// The server's last error, for functions that only return nil.
  func lastError() -> AvahiError {
    AvahiError(server.map { library.avahi_server_errno($0) } ?? CInt(AVAHI_ERR_BAD_STATE))
  }
}
