import LatchkeyModel
import LatchkeySystem

/// The connection to avahi-daemon, which determines what the daemon serves and reconnects when
/// either side fails.
///
/// Spec: Protocol/02-discovery.md §5.
final class DaemonLink {
  /// The time that a daemon has to prove itself before another back end is used in the meantime.
  ///
  /// The proof takes a tenth of this on an idle machine.
  static let patience = Duration.seconds(2)

  /// The number of attempts to reach a bus, after which only the appearance of its socket leads to
  /// another one.
  private static let attempts = 6

  private let loop: DiscoveryLoop
  private let onChange: () -> Void
  private var interfaces: [NetworkInterface] = []
  private var canary: DaemonCanary?
  private var retry: LoopTimer?
  private var backoff = Backoff(first: 200, factor: 2)
  private var socketWatch: NewsWatch?
  private var isRunning = false

  private(set) var responder: AvahiResponder?

  private(set) var view = DaemonView.absent

  /// Creates a link without a connection.
  ///
  /// `onChange` is called after `view` has changed, in a turn of its own.
  init(loop: DiscoveryLoop, onChange: @escaping () -> Void) { (self.loop, self.onChange) = (loop, onChange) }

  /// Connects for the first time; `view` is `unproven` afterwards if there is a bus.
  func open() {
    socketWatch = try? NewsWatch.ofBusSocket(loop: loop) { [unowned self] in
      guard responder == nil else { return }
      backoff.reset()
      connect()
    }
    connect()
    // The next turn shows whether a daemon is on the bus; until then, no other back end should be
    // started.
    if responder != nil { view = .unproven }
  }

  /// Asks the daemon to prove that it serves some interfaces; the answer changes `view`.
  func prove(_ interfaces: [NetworkInterface]) {
    self.interfaces = interfaces
    guard isRunning else { return }
    startCanary()
  }

  /// Does not use the daemon until it proves itself again, when interfaces change or it restarts.
  ///
  /// The reason is a clause.
  func distrust(_ reason: String) {
    canary.take()?.close()
    become(.notServing(reason))
  }

  /// Disconnects; there is no call-back after this.
  func close() {
    retry.take()?.cancel()
    socketWatch = nil
    disconnect()
  }

  private func connect() {
    retry.take()?.cancel()
    disconnect()
    do throws(AvahiError) {
      responder = try AvahiResponder(daemonOn: loop) { [unowned self] in changed(to: $0) }
    } catch {
      become(.absent)
      tryAgain()
    }
  }

  private func disconnect() {
    isRunning = false
    // The connection is closed first, so that closing the rest does not wait for a daemon that may
    // hang.
    responder.take()?.close()
    canary.take()?.close()
  }

  private func changed(to state: ResponderState) {
    switch state {
    case .absent:
      backoff.reset()
      isRunning = false
      become(.absent)
    case .preparing:
      // A working daemon also enters this state while it looks for another host name. Our
      // announcements remain.
      if !isRunning { become(.absent) }
    case .running:
      backoff.reset()
      // Requests made while it looked for a name or addresses may have failed.
      guard !isRunning || view != .serving else { return }
      isRunning = true
      startCanary()
    case .failed:
      disconnect()
      become(.absent)
      tryAgain()
    }
  }

  private func startCanary() {
    canary.take()?.close()
    guard let responder, !interfaces.isEmpty else { return become(.absent) }
    become(.unproven)
    do throws(AvahiError) {
      canary = try DaemonCanary(
        responder: responder, loop: loop, interfaces: interfaces, patience: Self.patience,
        onProven: { [unowned self] in
          canary = nil
          become(.serving)
        },
        onDoubt: { [unowned self] names in
          become(.notServing("it does not serve \(names.joined(separator: ", "))"))
        })
    } catch {
      become(.notServing("it refuses announcements (\(error))"))
    }
  }

  private func tryAgain() {
    guard socketWatch == nil || backoff.failures < Self.attempts else { return }
    retry = loop.schedule(after: .milliseconds(backoff.failed())) { [unowned self] in
      retry = nil
      connect()
    }
  }

  private func become(_ next: DaemonView) {
    guard next != view else { return }
    view = next
    loop.later { [weak self] in self?.onChange() }
  }
}

/// The known state of the system's avahi-daemon.
enum DaemonView: Hashable, Sendable {
  /// No daemon runs, or it is still starting.
  case absent
  /// It answers, and is being asked to prove that it serves the wanted interfaces.
  case unproven
  case serving
  /// It answers, but does not serve the wanted interfaces, at least not yet.
  ///
  /// The reason is a clause.
  case notServing(String)
}

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
  /// The daemon must serve all of the interfaces. There is at least one. `onProven` is called once.
  /// `onDoubt` is called at most once, after `patience`, with the names of the interfaces that are
  /// not served yet. Throws `AvahiError` if the daemon accepts no announcements.
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

  deinit { close() }

  /// Ends the test; there is no call-back after this.
  func close() {
    doubt.take()?.cancel()
    for lookup in lookups { lookup.close() }
    lookups = []
    group.take()?.close()
  }

  private func saw(_ interface: UInt32) {
    guard missing.remove(interface) != nil, missing.isEmpty else { return }
    close()
    onProven()
  }
}
