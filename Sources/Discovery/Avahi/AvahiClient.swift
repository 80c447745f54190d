import CAvahi

/// The connection to avahi-daemon: libavahi-client, loaded at its first use.
///
/// It cannot be linked next to libavahi-core: both export `avahi_entry_group_free`, and one would
/// call the other's.
enum AvahiClient {
  static let library: Result<AvahiClientLibrary, AvahiError> = {
    var library = AvahiClientLibrary()
    return latchkey_load_avahi_client(&library) == 1 ? .success(library) : .failure(.notInstalled)
  }()

  /// The errors that mean that the connection is lost.
  ///
  /// libdbus may notice the end of the bus during a blocking call. It may then report the end to
  /// that call only, and the library's own callback is never called. Every later call is refused
  /// because of a bad state.
  static let losses: Set<CInt> = [CInt(AVAHI_ERR_DISCONNECTED), CInt(AVAHI_ERR_BAD_STATE)]

  static func functions(_ library: AvahiClientLibrary) -> AvahiFunctions {
    let any = AvahiFunctions.anyVersion
    return AvahiFunctions(
      close: { library.avahi_client_free($0) },
      lastError: { library.avahi_client_errno($0) },
      losses: losses,
      // A daemon sends lists over D-Bus in the order of the wire.
      textBeginsWithLast: false,
      // A daemon resolves a service at once, and begins to browse for records 10 ms later.
      resolvesAddresses: true,
      browseServices: { client, interface, type, found, context in
        library.avahi_service_browser_new(
          client, interface, any, type, "local", AVAHI_LOOKUP_USE_MULTICAST, found, context)
      },
      freeServiceBrowser: { library.avahi_service_browser_free($0) },
      resolveService: { client, sighting, type, version, flags, found, context in
        library.avahi_service_resolver_new(
          client, AvahiIfIndex(bitPattern: sighting.interface), sighting.packetProtocol, sighting.instanceName, type,
          "local", version, flags, found, context)
      },
      freeServiceResolver: { library.avahi_service_resolver_free($0) },
      browseRecords: { client, interface, name, type, context in
        library.avahi_record_browser_new(
          client, interface, any, name, UInt16(AVAHI_DNS_CLASS_IN), type, AVAHI_LOOKUP_USE_MULTICAST,
          { _, _, packetProtocol, event, _, _, _, data, size, _, context in
            guard let context, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
            // A longer entry exceeds the limits of every reader.
            let bytes =
              data.map { Array(UnsafeRawBufferPointer(start: $0, count: min(size, DiscoveryLimits.recordBytes))) } ?? []
            AvahiLookup<SeenRecord>.of(context).report(
              SeenRecord(data: bytes, packetProtocol: packetProtocol, appeared: event == AVAHI_BROWSER_NEW))
          }, context)
      },
      freeRecordBrowser: { library.avahi_record_browser_free($0) },
      makeGroup: { client, context in
        library.avahi_entry_group_new(
          client,
          { _, state, context in
            if let context { AvahiRecordGroup.of(context).changed(to: state) }
          }, context)
      },
      freeGroup: { library.avahi_entry_group_free($0) },
      commit: { library.avahi_entry_group_commit($0) },
      addAddress: { _, group, interface, host, address in
        library.avahi_entry_group_add_address(group, interface, any, AVAHI_PUBLISH_NO_REVERSE, host, address)
      },
      addService: { _, group, interface, name, type, host, port, text in
        library.avahi_entry_group_add_service_strlst(
          group, interface, any, AVAHI_PUBLISH_NO_COOKIE, name, type, "local", host, port, text)
      },
      updateText: { _, group, interface, name, type, text in
        library.avahi_entry_group_update_service_txt_strlst(
          group, interface, any, AVAHI_PUBLISH_NO_COOKIE, name, type, "local", text)
      },
      addSharedText: { _, group, interface, name in
        let emptyText: [UInt8] = [0]
        return library.avahi_entry_group_add_record(
          group, interface, any, AvahiPublishFlags(0), name, UInt16(AVAHI_DNS_CLASS_IN), UInt16(AVAHI_DNS_TYPE_TXT), 10,
          emptyText, emptyText.count)
      })
  }
}

extension AvahiResponder {
  /// Connects to the system bus, and waits for a daemon that is not running yet.
  ///
  /// `onState` is called in a later turn of the loop, never after `close`. Throws `AvahiError` if
  /// there is no bus or no libavahi-client.
  convenience init(daemonOn loop: DiscoveryLoop, onState: @escaping (ResponderState) -> Void) throws(AvahiError) {
    let library = try AvahiClient.library.get()
    self.init(AvahiClient.functions(library), loop: loop, onState: onState)
    var code: CInt = 0
    let made = library.avahi_client_new(
      loop.api, AVAHI_CLIENT_NO_FAIL,
      { client, state, context in
        guard let client, let context else { return }
        let responder = AvahiResponder.of(context)
        switch state {
        case AVAHI_CLIENT_S_RUNNING: responder.changed(to: .running)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: responder.changed(to: .preparing)
        case AVAHI_CLIENT_CONNECTING: responder.changed(to: .absent)
        default: responder.changed(to: .failed(AvahiError(responder.functions.lastError(client))))
        }
      }, Unmanaged.passUnretained(self).toOpaque(), &code)
    guard let made else { throw AvahiError(code) }
    connection = made
  }
}
