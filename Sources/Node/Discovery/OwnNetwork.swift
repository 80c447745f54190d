import LatchkeySystem

/// The addresses of this machine at one moment.
struct OwnNetwork: Equatable, Sendable {
  /// All addresses as text without a scope, those of loopback among them.
  var all: Set<String> = []
  /// The addresses at which others may call: of the interfaces that may be offered, and not
  /// link-local.
  ///
  /// IPv4 first, then in the order of the interfaces; 4 or 16 bytes each.
  var callable: [[UInt8]] = []
  /// The networks of the machine, which do not change when it only gets another address in one of
  /// them.
  var networks: Set<String> = []

  /// Reads this machine's addresses.
  ///
  /// - Parameter names: The interfaces that a person chose; `nil` if the general rule applies.
  /// - Returns: The addresses; `nil` if the kernel does not answer, which says nothing about them.
  static func current(interfaces names: [String]?) -> OwnNetwork? {
    NetworkInterface.all().map { OwnNetwork($0, names: names) }
  }

  /// Creates a value from what the machine has.
  init(_ interfaces: [NetworkInterface], names: [String]?) {
    for interface in interfaces where interface.isUp {
      for address in interface.addresses {
        all.insert(address.description)
        guard interface.isOffered(names: names) else { continue }
        networks.insert("\(interface.name) \(address.bytes.prefix(address.isV4 ? 3 : 8))")
        if !address.isLinkLocal, !callable.contains(address.bytes) { callable.append(address.bytes) }
      }
    }
    callable = callable.filter { $0.count == 4 } + callable.filter { $0.count == 16 }
  }

  /// Creates a network with only the addresses for other machines; none by default.
  init(callable: [[UInt8]] = []) {
    self.callable = callable
  }

  /// Returns the IPv4 address to put into a pairing code, four bytes; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - names: The interfaces that a person chose; `nil` if the general rule applies.
  ///   - allowsLoopback: Whether 127.0.0.1 is permitted if the node listens there. A loopback
  ///     address leads another machine to itself, so a code contains one only while mDNS is off.
  /// - Returns: The address.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  func forCode(interfaces names: [String]?, allowsLoopback: Bool) -> [UInt8]? {
    if let address = callable.first, address.count == 4 { return address }
    return allowsLoopback && names?.contains("lo") ?? true ? [127, 0, 0, 1] : nil
  }
}
