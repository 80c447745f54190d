/// Names what speaks mDNS for this process.
public enum DiscoveryBackendKind: String, Sendable, Hashable, CaseIterable {
  /// The system's avahi-daemon, reached over D-Bus.
  case avahiDaemon

  /// The mDNS stack inside this process.
  case embedded

  /// Addresses given by a person; nothing is sent.
  case fixed

  /// Nothing.
  case none
}
