/// Runs discovery on the loop's thread: picks interfaces and a back end, feeds the table, reports events.
///
/// Spec: Protocol/ discovery
final class DiscoveryEngine {
  /// How often what was of no interest is looked at again.
  static let glance = Duration.seconds(30)

  /// How long what an earlier back end saw is kept for the next one to see again.
  static let handover = Duration.seconds(6)

  /// A back end at work.
  private struct Stack {
    var kind: DiscoveryBackendKind
    var interfaces: [NetworkInterface]
    let responder: any Responder
    var embedded: EmbeddedResponder?
    var announcer: Announcer
    /// Nil while nothing is followed.
    var watcher: ServiceWatcher?
  }

  private let loop: DiscoveryLoop
  private let configuration: DiscoveryConfiguration
  private let isOfInterest: ServiceInterest
  private let emit: (DiscoveryEvent) -> Void
  private var monitor: InterfaceMonitor?
  private var available: [NetworkInterface] = []
  private var selection = InterfaceSelection(names: [], available: [])
  private var daemon: DaemonLink?
  private var stack: Stack?
  /// Looks through a daemon that has not proved itself yet: what it sees is as good, and what it does not see is lost only
  /// for as long as the proof takes.
  private var early: (watcher: ServiceWatcher, responder: DaemonResponder, interfaces: [NetworkInterface])?
  private var plan: LookPlan
  private var planned: LoopTimer?
  private var announcement: Announcement?
  private var table = ServiceTable()
  private var flush: LoopTimer?
  private var handoverEnd: LoopTimer?
  private var retry: LoopTimer?
  private var nextGlance: LoopTimer?
  private var backoff = Backoff(first: .milliseconds(500), last: .seconds(60))
  private var clock = ClockJump(.now())
  private var state: DiscoveryState?

  /// Prepare; nothing is opened.
  ///
  /// - Parameters:
  ///   - loop: the loop to run on.
  ///   - configuration: what to use where.
  ///   - isOfInterest: whether an instance is to be followed.
  ///   - emit: receives all events.
  init(
    loop: DiscoveryLoop, configuration: DiscoveryConfiguration, isOfInterest: @escaping ServiceInterest = { _ in true },
    emit: @escaping (DiscoveryEvent) -> Void
  ) {
    self.loop = loop
    self.isOfInterest = isOfInterest
    self.configuration = configuration
    plan = LookPlan(configuration.attention, at: DiscoveryLoop.now())
    self.emit = emit
  }

  /// Begin.
  ///
  /// - Throws: `LoopError` when the process may open no more descriptors.
  func start() throws(LoopError) {
    become(.starting)
    monitor = try InterfaceMonitor(loop: loop) { [unowned self] in interfacesChanged() }
    loop.onWake = { [unowned self] in checkClock() }
    available = NetworkInterface.all()
    selection = InterfaceSelection(names: configuration.interfaces, available: available)
    askDaemon()
    choose()
    glanceLater()
  }

  /// See whether what was of no interest is of interest now.
  func lookAgain() {
    stack?.watcher?.lookAgain()
    early?.watcher.lookAgain()
  }

  /// Ask for so much of what others announce from now on; it may come before the start. What was found stays found until it
  /// is asked for again.
  func attend(_ attention: Attention) {
    let isRunning = state != nil
    follow { $0.attend(attention, isRunning: isRunning, at: DiscoveryLoop.now(), jitter: .random(in: 0...1)) }
  }

  /// Tell the plan something, and do what it says.
  private func follow(_ tell: (inout LookPlan) -> Void) {
    let before = plan
    tell(&plan)
    if plan.nextWake != before.nextWake {
      planned?.cancel()
      planned = plan.nextWake.map { time in
        loop.schedule(after: max(.zero, time - DiscoveryLoop.now())) { [unowned self] in
          planned = nil
          let isBehind = (stack?.watcher ?? early?.watcher)?.isBehind ?? false
          follow { $0.wake(at: DiscoveryLoop.now(), isBehind: isBehind, jitter: .random(in: 0...1)) }
        }
      }
    }
    if plan.isLooking != before.isLooking { plan.isLooking ? beginLooking() : endLooking() }
  }

  private func beginLooking() {
    // Before the start nothing is there to look through.
    guard state != nil else { return }
    handoverEnd?.cancel()
    handoverEnd = nil
    table.forget()
    report()
    guard let stack else { return choose() }
    do throws(AvahiError) { self.stack?.watcher = try look(through: stack.responder) } catch {
      stackFailed(error, of: stack.kind)
    }
  }

  private func endLooking() {
    stack?.watcher?.close()
    stack?.watcher = nil
    stopEarly()
    beginHandover()
  }

  /// So many instances announce themselves, this one among them.
  private func seen(_ count: Int) {
    let others = announcement == nil ? count : count - 1
    follow { $0.sees(others: others, at: DiscoveryLoop.now()) }
  }

  private func glanceLater() {
    nextGlance = loop.schedule(after: Self.glance) { [unowned self] in
      lookAgain()
      glanceLater()
    }
  }

  /// Replace what is announced.
  ///
  /// - Parameter advertisement: what to announce, or nil for nothing.
  func advertise(_ advertisement: ServiceAdvertisement?) {
    announcement = advertisement.map { Announcement($0, after: announcement) }
    stack?.announcer.announce(announcement)
  }

  /// Withdraw and free everything; nothing is called back after this.
  func close() {
    loop.onWake = {}
    for timer in [flush, handoverEnd, retry, nextGlance, planned] { timer?.cancel() }
    monitor = nil
    daemon?.close()
    stopStack()
    stopEarly()
    daemon = nil
  }

  // MARK: - Back ends

  /// Find out whether the daemon serves what is selected.
  ///
  /// It is not asked about a loopback that a person named: configured as a reflector, it repeats on real networks what
  /// it hears there, and `lo` promises that nothing leaves the machine.
  private func askDaemon() {
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

  private func choose() {
    let choice = BackendChoice.make(
      configuration: configuration, problem: selection.problem, daemon: daemon?.view ?? .absent)
    switch choice {
    case .wait:
      // What runs goes on meanwhile, unless it is a daemon's and the daemon is another one now.
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

  /// Whether what runs speaks through a connection to the daemon that is gone.
  private var isOfAnEarlierDaemon: Bool {
    stack.map { $0.kind == .avahiDaemon && daemon?.responder !== $0.responder } ?? false
  }

  private func cannotAnnounce(_ reason: String) {
    become(.failed(reason))
    guard isOfAnEarlierDaemon else { return }
    // However it came to this, nothing will come of trying again there.
    loop.later { [unowned self] in choose() }
  }

  private func lookEarly() {
    guard plan.isLooking, stack == nil, let responder = daemon?.responder else { return stopEarly() }
    guard early?.responder !== responder || early?.interfaces != selection.interfaces else { return }
    stopEarly()
    // Whatever refuses here refuses the proof too, and that is seen to.
    early = (try? look(through: responder)).map { ($0, responder, selection.interfaces) }
  }

  private func look(through responder: any Responder) throws(AvahiError) -> ServiceWatcher {
    try ServiceWatcher(
      responder: responder, type: configuration.serviceType, interfaces: selection.interfaces,
      isOfInterest: isOfInterest, later: { [loop] in loop.later($0) },
      schedule: { [loop] in loop.schedule(after: $0, $1) },
      onCount: { [unowned self] in seen($0) }, observe: { [unowned self] in note($0) })
  }

  private func stopEarly() {
    guard let early else { return }
    self.early = nil
    early.watcher.close()
    beginHandover()
  }

  private func startStack(_ kind: DiscoveryBackendKind) {
    stopStack()
    retry?.cancel()
    retry = nil
    do throws(AvahiError) {
      var embedded: EmbeddedResponder?
      let responder: any Responder
      if kind == .avahiDaemon, let connection = daemon?.responder {
        responder = connection
      } else {
        let made = try EmbeddedResponder(loop: loop, interfaces: selection.interfaces) { [unowned self] state in
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

  private func stopStack() {
    guard let stack else { return }
    self.stack = nil
    // The stack first: it says goodbye for all it announced, and what is closed after it has nothing left to free.
    stack.embedded?.close()
    stack.announcer.close()
    stack.watcher?.close()
    beginHandover()
  }

  /// What was seen so far is lost only if nobody sees it again.
  private func beginHandover() {
    table.beginHandover()
    handoverEnd?.cancel()
    handoverEnd = nil
    guard plan.isLooking else { return }
    handoverEnd = loop.schedule(after: Self.handover) { [unowned self] in
      handoverEnd = nil
      table.endHandover()
      report()
    }
  }

  private func stackFailed(_ error: AvahiError, of kind: DiscoveryBackendKind) {
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
    retry = loop.schedule(after: backoff.delay()) { [unowned self] in
      retry = nil
      choose()
    }
  }

  // MARK: - What changes around us

  private func interfacesChanged() {
    let before = (available: available, selection: selection)
    available = NetworkInterface.all()
    selection = InterfaceSelection(names: configuration.interfaces, available: available)
    guard selection != before.selection || available != before.available else { return }
    emit(.networkChanged)
    backoff.reset()
    let moved = Self.identity(selection.interfaces) != Self.identity(before.selection.interfaces)
    // Whether loopback is served depends on what else there is.
    let loopbackInDoubt =
      selection.interfaces.contains(where: \.isLoopback)
      && Self.identity(available.filter { $0.isUp && !$0.addresses.isEmpty })
        != Self.identity(before.available.filter { $0.isUp && !$0.addresses.isEmpty })
    if moved || loopbackInDoubt { askDaemon() }
    // Here may be no crowd.
    if moved { follow { $0.networkMoved(at: DiscoveryLoop.now(), jitter: .random(in: 0...1)) } }
    if !moved, stack != nil {
      // The same interfaces: only their addresses are announced anew, without a goodbye for the service.
      stack?.interfaces = selection.interfaces
      stack?.announcer.update(selection.interfaces)
    }
    choose()
  }

  /// What makes a stack of the old interfaces useless when it changes; a plugged cable leads to another network.
  private static func identity(_ interfaces: [NetworkInterface]) -> [String] {
    interfaces.map { "\($0.index) \($0.name) \($0.isRunning)" }
  }

  private func checkClock() {
    guard clock.noticed(at: .now()) else { return }
    emit(.networkChanged)
    loop.later { [unowned self] in
      restart()
      follow { $0.networkMoved(at: DiscoveryLoop.now(), jitter: .random(in: 0...1)) }
    }
  }

  /// Look and announce anew through the same back end.
  private func restart() {
    guard let kind = stack?.kind else { return }
    startStack(kind)
  }

  // MARK: - Events

  private func note(_ observation: ServiceObservation) {
    table.note(observation)
    if case .gained(let key, _, _) = observation, table.isNews(key.instanceName) {
      // Somebody may wait for it.
      flush?.cancel()
      flush = nil
      report()
    }
    // One event for what arrives together: port, pairs and addresses are separate records.
    if table.hasChanges, flush == nil {
      flush = loop.schedule(after: .milliseconds(5)) { [unowned self] in
        flush = nil
        report()
      }
    }
    if case .withdrawn = observation, stack?.watcher?.hasRoomAgain == true {
      loop.later { [unowned self] in
        if stack?.watcher?.hasRoomAgain == true { restart() }
      }
    }
  }

  private func report() {
    for event in table.takeEvents() { emit(event) }
  }

  private func renamed(_ next: Announcement) {
    guard let previous = announcement?.advertisement.instanceName else { return }
    announcement = next
    let name = next.advertisement.instanceName
    if name != previous { emit(.renamed(from: previous, to: name)) }
  }

  private func become(_ next: DiscoveryState) {
    guard next != state else { return }
    state = next
    emit(.state(next))
  }
}
