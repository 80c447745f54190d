import LatchkeyModel
import LatchkeySystem

/// The announcement of this node: one instance of the service, its port and its TXT pairs.
///
/// Spec: Protocol/02-discovery.md §2.
public struct ServiceAdvertisement: Sendable, Hashable {
  /// The instance name, 1 to 63 bytes of UTF-8: 8 random characters, which the caller renews at
  /// every start, hour and network change.
  public var instanceName: String
  public var port: UInt16
  /// The TXT pairs, at most 16 pairs and 1,300 bytes in all; values are raw bytes.
  ///
  /// A pair takes at most 255 bytes with its key and the `=` between them.
  public var text: [String: [UInt8]]

  public init(instanceName: String, port: UInt16, text: [String: [UInt8]]) {
    (self.instanceName, self.port, self.text) = (instanceName, port, text)
  }
}

public enum DiscoveryEvent: Sendable, Hashable {
  /// A service was found or has changed. This is everything that is known of it now.
  case found(DiscoveredService)
  /// An instance is no longer announced.
  ///
  /// The peer may be running nevertheless.
  case lost(instanceName: String)
  /// The state of discovery has changed, which is shown to a person who asks.
  case state(DiscoveryState)
  /// The machine's interfaces or addresses have changed, or it has slept.
  case networkChanged
  /// Another host claims the announced name, so the new one is announced instead. Both are this
  /// node's own.
  case renamed(from: String, to: String)
}

public enum DiscoveryState: Sendable, Hashable {
  case starting
  /// Discovery announces and looks through this back end.
  case running(DiscoveryBackend)
  /// Nothing is announced or seen for now; discovery continues by itself once the cause is gone.
  ///
  /// The sentence names the fault and the next step.
  case failed(String)

  /// The back end in use, or why there is none, for `status`.
  package var text: String {
    switch self {
    case .starting: DiscoveryBackend.starting.rawValue
    case .running(let kind): kind.rawValue
    case .failed(let reason): reason
    }
  }
}

/// Everything known about an announced instance, merged over the interfaces and protocols on which
/// it was seen.
///
/// The content is not proven: only the handshake shows which device answers there.
public struct DiscoveredService: Sendable, Hashable {
  /// The instance name: 1 to 63 bytes of UTF-8.
  public var instanceName: String
  public var port: UInt16
  /// At least 1 and at most 16 addresses: IPv4 first, then wider IPv6, then link-local IPv6.
  public var addresses: [DiscoveredAddress]
  /// The TXT pairs, keys in lower case: at most 16 pairs and 1300 bytes.
  public var text: [String: [UInt8]]
}

public struct DiscoveredAddress: Sendable, Hashable {
  public var address: IPAddress
  /// The interface on which a link-local IPv6 address is valid; `nil` for every other address.
  public var interfaceIndex: UInt32?
  /// The name of the interface on which the address was seen, while it has one.
  public var interfaceName: String?

  /// The address as text for a socket, with its scope if it needs one, such as `192.168.1.5` or
  /// `fe80::1%2`.
  public var host: String { "\(address)" + (interfaceIndex.map { "%\($0)" } ?? "") }
}

/// The bounds of everything that the network can make discovery remember.
///
/// Spec: Protocol/02-discovery.md §7.
enum DiscoveryLimits {
  /// The most instances known at once.
  ///
  /// avahi-daemon grants a client 1,024 objects, and each sighting takes four.
  static let services = 240
  /// Pairs of instance and interface known at once.
  static let sightings = 240
  /// Instances that are looked up at a time, not counting those that have answered.
  static let lookups = 4

  static let addresses = 16
  /// Addresses of our own announced on one interface; avahi-daemon allows 32 entries in a group.
  static let ownAddresses = 16
  /// Interfaces used at once.
  static let interfaces = 16
  /// TXT pairs kept of one instance.
  static let textEntries = 16
  /// Bytes of one TXT entry with its key; its length is one byte on the wire.
  static let textEntryBytes = 255
  /// Bytes of TXT kept of one instance, each entry counted with its length byte.
  static let textBytes = 1300

  static let recordBytes = 2048
  /// TXT records kept of one instance while old ones have not run out.
  static let texts = 4
  /// Bytes of an instance name; a DNS label has no room for more.
  static let instanceNameBytes = 63
  /// Events held for a consumer that does not keep up.
  static let bufferedEvents = 4096
}
