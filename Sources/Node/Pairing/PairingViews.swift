import LatchkeyModel

/// The answer to `GET /v1/pairing/nearby`: machines on the network that announce an open code.
///
/// It is a hint, since any machine can announce anything.
public struct NearbyInvitations: Hashable, Sendable, Codable {
  /// An open code.
  public struct Invitation: Hashable, Sendable, Codable {
    /// The first two symbols of its typed code.
    public var prefix: String
    /// The announcing machine's addresses as `host:port`, at most 64.
    public var addresses: [String]
  }

  /// A number that grows with each change; a request after it waits for the next one.
  public var change: Int
  /// The open codes, in the order of their prefixes.
  public var invitations: [Invitation]

  /// Returns that no code is announced, after a change.
  package static func none(after change: Int) -> NearbyInvitations {
    NearbyInvitations(change: change, invitations: [])
  }
}
