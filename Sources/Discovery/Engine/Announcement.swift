/// An announcement with its host name.
///
/// The host name changes together with the instance name. If it lasted longer, it would reveal that
/// two instances are one machine. If it changed earlier, for example with the back end, the new
/// records would collide with the last echoes of the old ones.
struct Announcement: Hashable, Sendable {
  var advertisement: ServiceAdvertisement

  /// The host's label: 8 random characters.
  var hostLabel: String

  var host: String { hostLabel + ".local" }

  /// Creates an announcement.
  ///
  /// It keeps the previous host name if the instance name is the same; otherwise it gets a new one.
  init(_ advertisement: ServiceAdvertisement, after previous: Announcement?) {
    self.advertisement = advertisement
    hostLabel =
      previous.flatMap { $0.advertisement.instanceName == advertisement.instanceName ? $0.hostLabel : nil }
      ?? RandomLabel.make()
  }

  /// Chooses a new host name and, if `instance` is `true`, a new instance name, because another
  /// machine claimed them.
  mutating func rename(instance: Bool) {
    hostLabel = RandomLabel.make()
    if instance { advertisement.instanceName = RandomLabel.make() }
  }
}

/// Makes names that say nothing about the machine or its people.
enum RandomLabel {
  /// Returns 8 random characters out of 32: 40 bits.
  static func make() -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    return String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }
}
