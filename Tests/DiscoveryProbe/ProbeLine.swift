import LatchkeyDiscovery

/// The form of an event as one line that tests compare.
enum ProbeLine {
  /// Writes an event.
  static func text(_ event: DiscoveryEvent) -> String {
    switch event {
    case .found(let service):
      let addresses = service.addresses.map { address in
        "\(address.address)" + (address.interfaceIndex == nil ? "" : "%" + (address.interfaceName ?? "?"))
      }
      let pairs = service.text.sorted { $0.key < $1.key }
        .map { $0.key + "=" + String(decoding: $0.value, as: UTF8.self) }
      return "found \(service.instanceName) \(service.port) \(addresses.joined(separator: ",")) "
        + pairs.joined(separator: ",")
    case .lost(let instanceName): return "lost \(instanceName)"
    case .networkChanged: return "network changed"
    case .renamed(let from, let to): return "renamed \(from) \(to)"
    case .state(.starting): return "state starting"
    case .state(.running(let kind)): return "state running \(kind.rawValue)"
    case .state(.failed(let reason)): return "state failed \(reason)"
    }
  }
}
