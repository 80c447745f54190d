/// One network interface.
public struct InterfaceFacts: Sendable, Hashable {
  public var name: String
  public var isUp: Bool
  /// Whether the link itself works, such as a plugged cable.
  public var isRunning: Bool
  public var isLoopback: Bool
  public var isMulticast: Bool
  public var isPointToPoint: Bool
  /// With the length of their prefixes.
  public var addresses: [Subnet]

  public init(
    name: String, isUp: Bool = true, isRunning: Bool = true, isLoopback: Bool = false, isMulticast: Bool = true,
    isPointToPoint: Bool = false, addresses: [Subnet] = []
  ) {
    self.name = name
    self.isUp = isUp
    self.isRunning = isRunning
    self.isLoopback = isLoopback
    self.isMulticast = isMulticast
    self.isPointToPoint = isPointToPoint
    self.addresses = addresses
  }

  /// Whether a program for private networks made it, by its kind or name.
  var isTunnel: Bool {
    if isLoopback { return false }
    return isPointToPoint
      || ["wg", "tun", "tap", "ppp", "tailscale", "zt", "nordlynx", "proton", "mullvad"].contains {
        name.hasPrefix($0)
      }
  }

  /// Why machines are not looked for on it unless a person names it; nil when they are.
  ///
  /// Spec: Protocol/02-discovery.md §6.
  var reasonLeftOut: String? {
    if isLoopback { return "it leads to this machine alone" }
    if !isUp { return reasonUnusable }
    if ["docker", "br-", "veth", "virbr", "cni"].contains(where: { name.hasPrefix($0) }) {
      return "it belongs to containers or virtual machines"
    }
    if isPointToPoint { return "it joins two points only, as tunnels do" }
    if !isMulticast { return "it carries no multicast" }
    return reasonUnusable
  }

  /// Why nobody can be looked for on it even when a person names it.
  var reasonUnusable: String? {
    if !isUp { return "it is switched off" }
    if addresses.isEmpty { return isRunning ? "it has no address" : "its cable is not plugged, or it is in no network" }
    return nil
  }
}
