/// Holds what is announced under which host name.
///
/// The host name lives as long as the instance name: outliving it, it would tell that two instances are one machine;
/// and changing before it, as when another back end takes over, it would make the new records collide with the last
/// echoes of the old ones.
struct Announcement: Hashable, Sendable {
  /// What the caller wants to be known.
  var advertisement: ServiceAdvertisement

  /// 8 random characters.
  var hostLabel: String

  /// The full name of the host.
  var host: String { hostLabel + ".local" }

  /// Give an advertisement the host name of the announcement before it, or a new one with a new instance name.
  ///
  /// - Parameters:
  ///   - advertisement: what to announce.
  ///   - previous: what was announced until now.
  init(_ advertisement: ServiceAdvertisement, after previous: Announcement?) {
    self.advertisement = advertisement
    hostLabel =
      previous.flatMap { $0.advertisement.instanceName == advertisement.instanceName ? $0.hostLabel : nil }
      ?? RandomLabel.make()
  }

  /// Take a new host name and, if the instance name was claimed too, a new one of those.
  ///
  /// - Parameter instance: whether the instance name was claimed.
  mutating func rename(instance: Bool) {
    hostLabel = RandomLabel.make()
    if instance { advertisement.instanceName = RandomLabel.make() }
  }
}
