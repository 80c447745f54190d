import LatchkeyModel
import LatchkeySystem

/// The choice of a back end, its start and its end.
extension DiscoveryEngine {
  struct Stack {
    var kind: DiscoveryBackend
    var interfaces: [NetworkInterface]
    let responder: any Responder
    var embedded: AvahiResponder?
    var announcer: Announcer
    /// `nil` while nothing is followed.
    var watcher: ServiceWatcher?
  }

  /// Finds out whether the daemon serves the selected interfaces.
  ///
  /// The daemon is not asked about a loopback interface that a person named. A daemon that is
  /// configured as a reflector repeats on real networks what it receives there, and `lo` promises
  /// that nothing leaves the machine.
  func askDaemon() {
    guard configuration.allowDaemon else { return }
    let confined = configuration.interfaces != nil && selection.interfaces.allSatisfy(\.isLoopback)
    let wanted = confined && configuration.allowEmbedded ? [] : selection.interfaces
    if let daemon { return daemon.prove(wanted) }
    guard !wanted.isEmpty else { return }
    let daemon = DaemonLink(loop: loop) { [unowned self] in choose() }
    self.daemon = daemon
    daemon.prove(wanted)
    daemon.open()
  }

  /// Starts the back end that is suitable now, unless it is running already.
  func choose() {
    let choice = BackendChoice.make(
      configuration: configuration, problem: selection.problem, daemon: daemon?.view ?? .absent)
    switch choice {
    case .wait:
      // Keeps the current back end unless its daemon connection was replaced.
      if isOfAnEarlierDaemon { stopStack() }
      lookEarly()
    case .nothing(let reason):
      stopStack()
      stopEarly()
      become(.failed(reason))
    case .use(let kind):
      guard stack?.kind != kind || stack?.interfaces != selection.interfaces || isOfAnEarlierDaemon else { return }
      startStack(kind)
    }
  }

  /// A Boolean value that indicates whether the running back end uses a connection to the daemon
  /// that is gone.
  private var isOfAnEarlierDaemon: Bool {
    stack.map { $0.kind == .avahiDaemon && daemon?.responder !== $0.responder } ?? false
  }

  private func cannotAnnounce(_ reason: String) {
    become(.failed(reason))
    guard isOfAnEarlierDaemon else { return }
    // Trying again over that connection cannot succeed.
    loop.later { [unowned self] in choose() }
  }

  private func lookEarly() {
    guard plan.isLooking, stack == nil, let responder = daemon?.responder else { return stopEarly() }
    guard early?.responder !== responder || early?.interfaces != selection.interfaces else { return }
    stopEarly()
    // Any error here also makes the proof fail, which is handled.
    early = (try? look(through: responder)).map { ($0, responder, selection.interfaces) }
  }

  /// Ends the search through a daemon that has not proved itself.
  func stopEarly() {
    guard let early = early.take() else { return }
    early.watcher.close()
    reporter.beginHandover(isTimed: plan.isLooking)
  }

  private func startStack(_ kind: DiscoveryBackend) {
    stopStack()
    retry.take()?.cancel()
    do throws(AvahiError) {
      var embedded: AvahiResponder?
      let responder: any Responder
      if kind == .avahiDaemon, let connection = daemon?.responder {
        responder = connection
      } else {
        let made = try AvahiResponder(inProcessOn: selection.interfaces, loop: loop) { [unowned self] state in
          switch state {
          case .failed(let error): stackFailed(error, of: .embedded)
          case .running: backoff.reset()
          case .absent, .preparing: break
          }
        }
        embedded = made
        responder = made
      }
      let watcher: ServiceWatcher?
      if let early, early.responder === responder, early.interfaces == selection.interfaces {
        watcher = early.watcher
        self.early = nil
      } else {
        stopEarly()
        watcher = plan.isLooking ? try look(through: responder) : nil
      }
      let announcer = Announcer(
        responder: responder, loop: loop, type: configuration.serviceType, interfaces: selection.interfaces,
        onRename: { [unowned self] in renamed($0) }, onProblem: { [unowned self] in cannotAnnounce($0) },
        onSuccess: { [unowned self] in become(.running(kind)) })
      stack = Stack(
        kind: kind, interfaces: selection.interfaces, responder: responder, embedded: embedded, announcer: announcer,
        watcher: watcher)
      become(.running(kind))
      announcer.announce(announcement)
    } catch {
      stackFailed(error, of: kind)
    }
  }

  /// Stops the back end, and keeps its results for the next one to confirm.
  func stopStack() {
    guard let stack = stack.take() else { return }
    // The stack is closed first, which says goodbye for all announcements. The rest has nothing
    // left to free.
    stack.embedded?.close()
    stack.announcer.close()
    stack.watcher?.close()
    reporter.beginHandover(isTimed: plan.isLooking)
  }

  /// Stops a back end that failed, and looks for another one now or later.
  func stackFailed(_ error: AvahiError, of kind: DiscoveryBackend) {
    stopStack()
    if kind == .avahiDaemon {
      daemon?.distrust("it fails (\(error))")
      return
    }
    become(
      .failed(
        error == .notInstalled
          ? "Discovery needs libavahi-core7; install it with: sudo apt-get install libavahi-core7."
          : "Discovery cannot use the network (\(error)); end what holds UDP port 5353 for itself alone, "
            + "or name peers with --peer host:port."))
    retry?.cancel()
    retry = loop.schedule(after: .milliseconds(backoff.failed())) { [unowned self] in
      retry = nil
      choose()
    }
  }

  /// Restarts searching and announcing with the same back end.
  func restart() {
    guard let kind = stack?.kind else { return }
    startStack(kind)
  }
}

/// The choice of a back end.
///
/// Spec: Protocol/02-discovery.md §5.
enum BackendChoice: Hashable, Sendable {
  case use(DiscoveryBackend)
  /// Keep the present state until more is known.
  case wait
  /// Use no back end, for the reason in the sentence.
  case nothing(String)

  /// Returns the choice; `problem` is the reason why there is no interface to use, if any.
  static func make(configuration: DiscoveryConfiguration, problem: String?, daemon: DaemonView) -> BackendChoice {
    if let problem { return .nothing(problem) }
    if configuration.allowDaemon {
      switch daemon {
      case .serving: return .use(.avahiDaemon)
      case .unproven: return .wait
      case .absent, .notServing: break
      }
    }
    if configuration.allowEmbedded { return .use(.embedded) }
    guard configuration.allowDaemon else {
      return .nothing("Discovery is switched off; name peers with --peer host:port.")
    }
    if case .notServing(let reason) = daemon {
      return .nothing("The system's avahi-daemon is of no use here: \(reason). Allow the embedded stack.")
    }
    return .nothing("No avahi-daemon answers on this system; start it, or allow the embedded stack.")
  }
}

/// The interfaces that discovery uses, chosen among those of the machine.
///
/// Spec: Protocol/02-discovery.md §6.
struct InterfaceSelection: Equatable {
  /// The interfaces that are used, at most 16.
  let interfaces: [NetworkInterface]
  /// The reason why no interface is used, as a sentence with the next step; `nil` if one is.
  let problem: String?

  /// Chooses the interfaces of these names; with `nil`, all suitable ones.
  ///
  /// `NetworkInterface.exclusion` is the rule. If the machine has only loopback, as in a container
  /// without a network, loopback is used.
  init(names: [String]?, available: [NetworkInterface]) {
    let usable = available.filter { $0.isUp && !$0.subnets.isEmpty }
    var chosen = available.filter { $0.exclusion(names: names) == nil }
    if names == nil, chosen.isEmpty, usable.allSatisfy(\.isLoopback) { chosen = usable }
    interfaces = Array(chosen.prefix(DiscoveryLimits.interfaces))
    problem = interfaces.isEmpty ? Self.problem(names: names, usable: usable) : nil
  }

  private static func problem(names: [String]?, usable: [NetworkInterface]) -> String {
    let up = usable.isEmpty ? "none" : usable.map(\.name).joined(separator: ", ")
    guard let names else {
      return "No network interface is suited for discovery; connect one, or name one with --interfaces (up: \(up))."
    }
    return "None of the interfaces \(names.joined(separator: ", ")) is up with an address; "
      + "bring it up, or name another with --interfaces (up: \(up))."
  }
}

extension NetworkInterface {
  /// Returns this machine's interfaces with the addresses that are announced there, sorted, at most
  /// 16 each; of the loopback interface, only those at which a node listens.
  static func announceable() -> [NetworkInterface] {
    (all() ?? []).map { interface in
      var interface = interface
      interface.subnets = Array(
        interface.subnets.filter { !interface.isLoopback || $0.address.isLocalhost }
          .sorted { $0.address.bytes.lexicographicallyPrecedes($1.address.bytes) }
          .prefix(DiscoveryLimits.ownAddresses))
      return interface
    }
  }
}
