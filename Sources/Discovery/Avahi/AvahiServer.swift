import CAvahi
import CAvahiCore
import LatchkeySystem

/// The mDNS stack inside this process: libavahi-core, loaded at its first use.
///
/// `AvahiClient` explains why it is not linked.
enum AvahiServer {
  static let library: Result<AvahiCoreLibrary, AvahiError> = {
    var library = AvahiCoreLibrary()
    guard latchkey_load_avahi_core(&library) == 1 else { return .failure(.notInstalled) }
    // By default, the library writes to the program's standard error.
    library.avahi_set_log_function { _, _ in }
    return .success(library)
  }()

  static func functions(_ library: AvahiCoreLibrary) -> AvahiFunctions {
    let any = AvahiFunctions.anyVersion
    return AvahiFunctions(
      close: { library.avahi_server_free($0) },
      lastError: { library.avahi_server_errno($0) },
      losses: [],
      textBeginsWithLast: true,
      // Its browsers report known services in the next turn.
      resolvesAddresses: false,
      browseServices: { server, interface, type, found, context in
        library.avahi_s_service_browser_new(
          server, interface, any, type, "local", AVAHI_LOOKUP_USE_MULTICAST, found, context)
      },
      freeServiceBrowser: { succeeded(library.avahi_s_service_browser_free($0)) },
      resolveService: { server, sighting, type, version, flags, found, context in
        library.avahi_s_service_resolver_new(
          server, AvahiIfIndex(bitPattern: sighting.interface), sighting.packetProtocol, sighting.instanceName, type,
          "local", version, flags, found, context)
      },
      freeServiceResolver: { succeeded(library.avahi_s_service_resolver_free($0)) },
      browseRecords: { server, interface, name, type, context in
        guard let key = library.avahi_key_new(name, UInt16(AVAHI_DNS_CLASS_IN), type) else { return nil }
        defer { library.avahi_key_unref(key) }
        return library.avahi_s_record_browser_new(
          server, interface, any, key, AVAHI_LOOKUP_USE_MULTICAST,
          { _, _, packetProtocol, event, record, _, context in
            guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
            guard let record, let data = AvahiServer.data(record.pointee) else { return }
            AvahiLookup<SeenRecord>.of(context).report(
              SeenRecord(data: data, packetProtocol: packetProtocol, appeared: event == AVAHI_BROWSER_NEW))
          }, context)
      },
      freeRecordBrowser: { succeeded(library.avahi_s_record_browser_free($0)) },
      makeGroup: { server, context in
        library.avahi_s_entry_group_new(
          server,
          { _, _, state, context in
            if let context { AvahiRecordGroup.of(context).changed(to: state) }
          }, context)
      },
      freeGroup: { succeeded(library.avahi_s_entry_group_free($0)) },
      commit: { library.avahi_s_entry_group_commit($0) },
      addAddress: { server, group, interface, host, address in
        library.avahi_server_add_address(server, group, interface, any, AVAHI_PUBLISH_NO_REVERSE, host, address)
      },
      addService: { server, group, interface, name, type, host, port, text in
        library.avahi_server_add_service_strlst(
          server, group, interface, any, AVAHI_PUBLISH_NO_COOKIE, name, type, "local", host, port, text)
      },
      updateText: { server, group, interface, name, type, text in
        library.avahi_server_update_service_txt_strlst(
          server, group, interface, any, AVAHI_PUBLISH_NO_COOKIE, name, type, "local", text)
      },
      // Only a daemon has to prove what it serves. This stack was given its interfaces.
      addSharedText: { _, _, _, _ in CInt(AVAHI_ERR_INVALID_OPERATION) })
  }

  private static func succeeded(_: Void) -> CInt { CInt(AVAHI_OK) }

  /// Returns the bytes of an A, AAAA or TXT record; `nil` for all others.
  private static func data(_ record: AvahiRecord) -> [UInt8]? {
    switch record.key.map({ Int($0.pointee.type) }) {
    case AVAHI_DNS_TYPE_A: withUnsafeBytes(of: record.data.a.address) { Array($0.prefix(4)) }
    case AVAHI_DNS_TYPE_AAAA: withUnsafeBytes(of: record.data.aaaa.address) { Array($0.prefix(16)) }
    case AVAHI_DNS_TYPE_TXT: AvahiText.wire(record.data.txt.string_list)
    default: nil
    }
  }

  /// Returns the configuration of a server that publishes nothing of its own; free it with
  /// `avahi_server_config_free`.
  fileprivate static func configuration(
    _ library: AvahiCoreLibrary, _ interfaces: [NetworkInterface]
  ) -> AvahiServerConfig {
    var configuration = AvahiServerConfig()
    _ = library.avahi_server_config_init(&configuration)
    for interface in interfaces {
      configuration.allow_interfaces = avahi_string_list_add(configuration.allow_interfaces, interface.name)
    }
    // The name is never published. Without it, Avahi would use the machine's own.
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
    configuration.n_cache_entries_max = 4_096
    configuration.ratelimit_interval = 1_000_000
    configuration.ratelimit_burst = 1_000
    return configuration
  }
}

extension AvahiResponder {
  /// Opens the sockets of a stack inside this process and joins the multicast groups.
  ///
  /// Nothing is sent or received on other interfaces. `onState` is called in a later turn of the
  /// loop, never after `close`. Throws `AvahiError` if there is no interface or no multicast, or if
  /// port 5353 cannot be shared.
  convenience init(
    inProcessOn interfaces: [NetworkInterface], loop: DiscoveryLoop, onState: @escaping (ResponderState) -> Void
  ) throws(AvahiError) {
    // To Avahi, an empty list means every interface of the machine.
    guard !interfaces.isEmpty else { throw AvahiError(CInt(AVAHI_ERR_INVALID_INTERFACE)) }
    let library = try AvahiServer.library.get()
    self.init(AvahiServer.functions(library), loop: loop, onState: onState)
    var configuration = AvahiServer.configuration(library, interfaces)
    defer { library.avahi_server_config_free(&configuration) }
    var code: CInt = 0
    let made = library.avahi_server_new(
      loop.api, &configuration,
      { server, state, context in
        guard let server, let context else { return }
        let responder = AvahiResponder.of(context)
        switch state {
        case AVAHI_SERVER_RUNNING: responder.changed(to: .running)
        case AVAHI_SERVER_FAILURE: responder.changed(to: .failed(AvahiError(responder.functions.lastError(server))))
        default: responder.changed(to: .preparing)
        }
      }, Unmanaged.passUnretained(self).toOpaque(), &code)
    guard let made else { throw AvahiError(code) }
    connection = made
  }
}
