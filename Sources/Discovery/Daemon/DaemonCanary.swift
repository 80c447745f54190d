import LatchkeySystem

/// A test of whether avahi-daemon really serves some interfaces.
///
/// A daemon accepts records for every interface, including those that its configuration excludes,
/// and reports them as established. It cannot pretend to receive them. Therefore, a record with a
/// random name is announced on each interface, without probing, and searched for on the same
/// interface. It is seen only if the daemon has sent it there and received it back. The record is
/// empty, and is withdrawn once seen.
///
/// Spec: Protocol/02-discovery.md §5.
final class DaemonCanary {
  private let onProven: () -> Void
  private var group: (any RecordGroup)?
  private var lookups: [any Lookup] = []
  private var missing: Set<UInt32>
  private var doubt: LoopTimer?

  /// Begins the test.
  ///
  /// - Parameters:
  ///   - responder: The daemon.
  ///   - loop: The loop it runs on.
  ///   - interfaces: The interfaces that the daemon must serve, all of them; at least one.
  ///   - patience: The time after which to report doubt.
  ///   - onProven: Called once, also after doubt was reported.
  ///   - onDoubt: Called at most once, with the names of the interfaces that are not served yet.
  /// - Throws: `AvahiError` if the daemon accepts no announcements.
  init(
    responder: any Responder, loop: DiscoveryLoop, interfaces: [NetworkInterface], patience: Duration,
    onProven: @escaping () -> Void, onDoubt: @escaping ([String]) -> Void
  ) throws(AvahiError) {
    self.onProven = onProven
    missing = Set(interfaces.map(\.index))
    let name = RandomLabel.make() + ".local"
    let group = try responder.makeGroup { _ in }
    self.group = group
    for interface in interfaces {
      try group.addSharedText(name: name, interface: interface.index)
      lookups.append(
        try responder.browseRecords(name: name, type: 16, interface: interface.index) { [weak self] record in
          // Deferred, since this may free the browser that is calling.
          guard record.appeared else { return }
          loop.later { self?.saw(interface.index) }
        })
    }
    try group.commit()
    doubt = loop.schedule(after: patience) { [weak self] in
      guard let self else { return }
      doubt = nil
      onDoubt(interfaces.filter { self.missing.contains($0.index) }.map(\.name))
    }
  }

  deinit {
    close()
  }

  /// Ends the test; there is no call-back after this.
  func close() {
    doubt?.cancel()
    doubt = nil
    for lookup in lookups { lookup.close() }
    lookups = []
    group?.close()
    group = nil
  }

  private func saw(_ interface: UInt32) {
    guard missing.remove(interface) != nil, missing.isEmpty else { return }
    close()
    onProven()
  }
}
