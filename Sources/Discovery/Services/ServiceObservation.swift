import LatchkeySystem

/// A fact about a sighting, as a back end reports it.
enum ServiceObservation: Hashable, Sendable {
  /// The instance leads to this port and these pairs.
  ///
  /// Its known addresses remain unless the host has changed.
  case resolved(SightingKey, host: String, port: UInt16, text: [String: [UInt8]])

  /// The instance exists with these pairs, which are of no interest, so it is not followed any
  /// further.
  case passedOver(SightingKey, text: [String: [UInt8]])

  /// The instance's host has this address.
  case gained(SightingKey, IPAddress, interface: NetworkInterface)

  /// The instance's host no longer has this address.
  case dropped(SightingKey, IPAddress)

  /// The instance is no longer announced on this interface.
  case withdrawn(SightingKey)
}

/// One instance as seen on one interface.
struct SightingKey: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String

  var interfaceIndex: UInt32
}
