/// The endpoints at which the sender of a batch accepts connections.
///
/// Spec: Protocol/04-session.md §3.
public struct Reach: Hashable, Sendable {
  /// The TCP port of the listener; not 0.
  public var port: UInt16
  /// The addresses, 4 or 16 bytes each, IPv4 first; at most `Limits.reachAddresses`.
  public var addresses: [[UInt8]]

  public init(port: UInt16, addresses: [[UInt8]]) {
    self.port = port
    self.addresses = addresses
  }
}
