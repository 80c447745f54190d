/// `GET /v1/pairing/nearby`: machines on the network that announce an open code.
///
/// A hint: anybody can announce anything.
public struct NearbyInvitations: Hashable, Sendable, Codable {
  /// One open code.
  public struct Invitation: Hashable, Sendable, Codable {
    /// The first two symbols of its typed code.
    public var prefix: String
    /// `host:port` of whoever announces it, at most 64.
    public var addresses: [String]

    public init(prefix: String, addresses: [String]) {
      self.prefix = prefix
      self.addresses = addresses
    }
  }

  /// Grows with every change of what is found: ask for "after this" to wait for the next one.
  public var change: Int
  /// In the order of their prefixes.
  public var invitations: [Invitation]

  public init(change: Int, invitations: [Invitation]) {
    self.change = change
    self.invitations = invitations
  }
}
