import LatchkeyModel
import LatchkeySystem

/// The announcer of one service on some interfaces, under a random host name that hides the
/// machine's own.
///
/// After a collision, it chooses new random names, with increasing delays if these are claimed as
/// well.
///
/// Spec: Protocol/02-discovery.md §1.
final class Announcer {
  /// The record groups of one interface.
  ///
  /// Addresses are separate, so that they can change without affecting the service.
  private struct Site {
    var interface: NetworkInterface
    var addresses: (any RecordGroup)?
    var service: (any RecordGroup)?

    func close() {
      service?.close()
      addresses?.close()
    }
  }

  private let responder: any Responder
  private let loop: DiscoveryLoop
  private let type: String
  /// Called with the new announcement after another machine claimed its name.
  private let onRename: (Announcement) -> Void
  /// Called with a sentence that describes why nothing can be announced.
  private let onProblem: (String) -> Void
  /// Called whenever an interface carries the announcement.
  private let onSuccess: () -> Void
  private var interfaces: [NetworkInterface]
  private var sites: [Site] = []
  private var announcement: Announcement?
  private var backoff = Backoff(first: 50, factor: 2)
  private var retry: LoopTimer?

  init(
    responder: any Responder, loop: DiscoveryLoop, type: String, interfaces: [NetworkInterface],
    onRename: @escaping (Announcement) -> Void, onProblem: @escaping (String) -> Void, onSuccess: @escaping () -> Void
  ) {
    (self.responder, self.loop, self.type, self.interfaces) = (responder, loop, type, interfaces)
    (self.onRename, self.onProblem, self.onSuccess) = (onRename, onProblem, onSuccess)
  }

  /// Replaces the announcement; `nil` for none.
  ///
  /// A change of the text record alone is sent as an update. Any other change begins with a
  /// goodbye.
  func announce(_ next: Announcement?) {
    guard next != announcement || (next != nil && sites.isEmpty) else { return }
    let previous = announcement
    announcement = next
    backoff.reset()
    if let next, let previous, !sites.isEmpty, next.hostLabel == previous.hostLabel,
      next.advertisement.instanceName == previous.advertisement.instanceName,
      next.advertisement.port == previous.advertisement.port, updateText(next.advertisement)
    {
      return
    }
    rebuild()
  }

  /// Announces changed addresses on the same interfaces.
  func update(_ interfaces: [NetworkInterface]) {
    self.interfaces = interfaces
    for index in sites.indices {
      guard let now = interfaces.first(where: { $0.index == sites[index].interface.index }) else { continue }
      guard now.addresses != sites[index].interface.addresses else { continue }
      sites[index].interface = now
      sites[index].addresses.take()?.close()
      do throws(AvahiError) {
        sites[index].addresses = try announceAddresses(now, host: announcement?.host ?? "")
      } catch {
        failed(error)
        return
      }
    }
  }

  /// Withdraws everything; no call-back follows.
  func close() {
    retry.take()?.cancel()
    for site in sites { site.close() }
    sites = []
  }

  private func updateText(_ advertisement: ServiceAdvertisement) -> Bool {
    guard let text = TextRecord.entries(advertisement.text) else { return false }
    do throws(AvahiError) {
      for site in sites {
        try site.service?.updateText(
          name: advertisement.instanceName, type: type, text: text, interface: site.interface.index)
      }
      return true
    } catch {
      return false
    }
  }

  private func rebuild() {
    close()
    guard let announcement else { return }
    let advertisement = announcement.advertisement
    guard let text = TextRecord.entries(advertisement.text), advertisement.port != 0,
      (1...DiscoveryLimits.instanceNameBytes).contains(advertisement.instanceName.utf8.count)
    else {
      onProblem("The announcement has no name, no port or too long a TXT; announce a shorter one.")
      return
    }
    do throws(AvahiError) {
      for interface in interfaces {
        var site = Site(interface: interface)
        defer { sites.append(site) }
        site.addresses = try announceAddresses(interface, host: announcement.host)
        let group = try responder.makeGroup { [weak self] in self?.changed($0, service: true) }
        site.service = group
        try group.addService(
          name: advertisement.instanceName, type: type, host: announcement.host, port: advertisement.port, text: text,
          interface: interface.index)
        try group.commit()
      }
    } catch {
      error.isCollision ? collided(service: true) : failed(error)
    }
  }

  private func announceAddresses(_ interface: NetworkInterface, host: String) throws(AvahiError) -> any RecordGroup {
    let group = try responder.makeGroup { [weak self] in self?.changed($0, service: false) }
    for address in interface.addresses { try group.addAddress(address, host: host, interface: interface.index) }
    try group.commit()
    return group
  }

  private func changed(_ state: RecordGroupState, service: Bool) {
    switch state {
    case .established: if service { onSuccess() }
    case .collision: collided(service: service)
    case .failure(let error): failed(error)
    }
  }

  private func collided(service: Bool) {
    // Several groups may report the same collision. The first report is handled for all.
    guard retry == nil else { return }
    close()
    if var renamed = announcement {
      renamed.rename(instance: service)
      announcement = renamed
      onRename(renamed)
    }
    tryAgain()
  }

  private func failed(_ error: AvahiError) {
    guard retry == nil else { return }
    close()
    onProblem("This node cannot be announced (\(error)); it is tried again, and --peer host:port works meanwhile.")
    tryAgain()
  }

  private func tryAgain() {
    retry = loop.schedule(after: .milliseconds(backoff.failed())) { [weak self] in
      self?.retry = nil
      self?.rebuild()
    }
  }
}

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

  /// Keeps the previous host name if the instance name is the same; otherwise chooses a new one.
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
package enum RandomLabel {
  /// Returns 8 random characters out of 32: 40 bits.
  package static func make() -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    return String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }
}
