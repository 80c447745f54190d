import LatchkeyModel

/// The way to one paired device.
public struct PeerFacts: Sendable {
  public var status: PeerStatus
  public var probes: [AddressProbe]

  public init(status: PeerStatus, probes: [AddressProbe]) {
    self.status = status
    self.probes = probes
  }
}
