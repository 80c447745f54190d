/// Tells one fact about a sighting, as it comes from a back end.
enum ServiceObservation: Hashable, Sendable {
  /// The instance leads to this port and these pairs; what was known of its addresses stays unless the host is another.
  case resolved(SightingKey, host: String, port: UInt16, text: [String: [UInt8]])

  /// The instance is there with these pairs, for which nobody cares: it is not followed any further.
  case passedOver(SightingKey, text: [String: [UInt8]])

  /// The instance's host has this address.
  case gained(SightingKey, AddressBytes, interface: NetworkInterface)

  /// The instance's host has this address no longer.
  case dropped(SightingKey, AddressBytes)

  /// The instance is no longer announced on this interface.
  case withdrawn(SightingKey)
}
