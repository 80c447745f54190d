/// The rule for which interfaces Latchkey uses. Spec: Protocol/02-discovery.md §6.
extension NetworkInterface {
  /// A reason why the node does not search for machines on an interface.
  public enum Exclusion: Sendable, Hashable {
    /// The interface leads to this machine only.
    case loopback
    case off
    /// It belongs to containers or virtual machines.
    case virtual
    case pointToPoint
    case noMulticast
    case noAddress
    case notNamed
  }

  /// Returns the reason why the node does not search an interface; `nil` if it does.
  ///
  /// - Parameter names: The interfaces that a person chose; `nil` if the general rule applies. A
  ///   chosen interface is used regardless of its kind, if it is up and has an address.
  /// - Returns: The reason.
  public func exclusion(names: [String]?) -> Exclusion? {
    if let names {
      guard names.contains(name) else { return .notNamed }
    } else if isLoopback {
      return .loopback
    }
    if !isUp { return .off }
    if names == nil {
      if isVirtual { return .virtual }
      if isPointToPoint { return .pointToPoint }
      if !isMulticast { return .noMulticast }
    }
    return subnets.isEmpty ? .noAddress : nil
  }

  /// Returns whether the node announces the interface's addresses to other machines.
  ///
  /// Those of a tunnel are announced, since a peer may be at its other end.
  ///
  /// - Parameter names: The interfaces that a person chose; `nil` for all that do not belong to
  ///   virtual machines.
  /// - Returns: `true` if the addresses are announced.
  public func isOffered(names: [String]?) -> Bool {
    isUp && !isLoopback && (names?.contains(name) ?? !isVirtual)
  }

  /// A Boolean value that indicates whether a manager of containers or virtual machines made the
  /// interface, by its name.
  private var isVirtual: Bool {
    ["docker", "br-", "veth", "virbr", "cni"].contains { name.hasPrefix($0) }
  }
}
