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
