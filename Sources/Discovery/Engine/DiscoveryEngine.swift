import LatchkeyModel
import LatchkeySystem

/// The discovery on the loop's thread: it selects interfaces and a back end, and reports events.
///
/// Spec: Protocol/02-discovery.md.
final class DiscoveryEngine {
  /// The interval at which ignored services are examined again.
  private static let glance = Duration.seconds(30)

  let loop: DiscoveryLoop
  let configuration: DiscoveryConfiguration
  private let isOfInterest: ServiceInterest
  private let emit: (DiscoveryEvent) -> Void
  private var monitor: NewsWatch?
  private var available: [NetworkInterface] = []
  private(set) var selection = InterfaceSelection(names: [], available: [])
  var daemon: DaemonLink?
  var stack: Stack?
  /// A search through a daemon that has not proved itself yet.
  ///
  /// Its results are equally good. Anything that it misses is only delayed until the proof.
  var early: (watcher: ServiceWatcher, responder: AvahiResponder, interfaces: [NetworkInterface])?
  private(set) var plan: LookPlan
  private var planned: LoopTimer?
  private(set) var announcement: Announcement?
  let reporter: ServiceReporter
  var retry: LoopTimer?
  private var nextGlance: LoopTimer?
  var backoff = Backoff(first: 500, factor: 2)
  private var clock = ClockJump()
  /// The largest change of the clock that is ignored.
  ///
  /// It is more than a time service slews in hours, and less than a change that delays a peer.
  private static let tolerance = Duration.seconds(10)
  private var state: DiscoveryState?

  init(
    loop: DiscoveryLoop, configuration: DiscoveryConfiguration, isOfInterest: @escaping ServiceInterest = { _ in true },
    emit: @escaping (DiscoveryEvent) -> Void
  ) {
    (self.loop, self.isOfInterest, self.configuration) = (loop, isOfInterest, configuration)
    plan = LookPlan(configuration.attention, at: SystemClock.boot.now)
    self.emit = emit
    reporter = ServiceReporter(loop: loop, emit: emit)
  }

  /// Starts discovery; throws `LoopError` if the process may open no more descriptors.
  func start() throws(LoopError) {
    become(.starting)
    monitor = try NewsWatch.ofInterfaces(loop: loop) { [unowned self] in interfacesChanged() }
    loop.onWake = { [unowned self] in checkClock() }
    available = NetworkInterface.announceable()
    selection = InterfaceSelection(names: configuration.interfaces, available: available)
    askDaemon()
    choose()
    glanceLater()
  }

  /// Examines again whether ignored services are wanted now.
  func lookAgain() {
    stack?.watcher?.lookAgain()
    early?.watcher.lookAgain()
  }

  /// Sets the effort with which the network is searched.
  ///
  /// May be called before the start. Services that were found remain until they are searched for
  /// again.
  func attend(_ attention: Attention) {
    let isRunning = state != nil
    follow { $0.attend(attention, isRunning: isRunning, at: SystemClock.boot.now, jitter: .random(in: 0...1)) }
  }

  /// Passes an input to the plan and carries out its result.
  private func follow(_ tell: (inout LookPlan) -> Void) {
    let before = plan
    tell(&plan)
    if plan.nextWake != before.nextWake {
      planned?.cancel()
      planned = plan.nextWake.map { time in
        loop.schedule(after: max(.zero, time - SystemClock.boot.now)) { [unowned self] in
          planned = nil
          let isBehind = (stack?.watcher ?? early?.watcher)?.isBehind ?? false
          follow { $0.wake(at: SystemClock.boot.now, isBehind: isBehind, jitter: .random(in: 0...1)) }
        }
      }
    }
    if plan.isLooking != before.isLooking { plan.isLooking ? beginLooking() : endLooking() }
  }

  private func beginLooking() {
    // Before the start, there is no back end to search with.
    guard state != nil else { return }
    reporter.forget()
    guard let stack else { return choose() }
    do throws(AvahiError) { self.stack?.watcher = try look(through: stack.responder) } catch {
      stackFailed(error, of: stack.kind)
    }
  }

  private func endLooking() {
    stack?.watcher.take()?.close()
    stopEarly()
    reporter.beginHandover(isTimed: plan.isLooking)
  }

  /// Records how many instances announce themselves, including this one.
  private func seen(_ count: Int) {
    let others = announcement == nil ? count : count - 1
    follow { $0.sees(others: others, at: SystemClock.boot.now) }
  }

  func look(through responder: any Responder) throws(AvahiError) -> ServiceWatcher {
    try ServiceWatcher(
      responder: responder, type: configuration.serviceType, interfaces: selection.interfaces,
      isOfInterest: isOfInterest, later: { [loop] in loop.later($0) },
      schedule: { [loop] in loop.schedule(after: $0, $1) },
      onCount: { [unowned self] in seen($0) }, observe: { [unowned self] in note($0) })
  }

  private func glanceLater() {
    nextGlance = loop.schedule(after: Self.glance) { [unowned self] in
      lookAgain()
      glanceLater()
    }
  }

  /// Replaces the announcement; `nil` for none.
  func advertise(_ advertisement: ServiceAdvertisement?) {
    announcement = advertisement.map { Announcement($0, after: announcement) }
    stack?.announcer.announce(announcement)
  }

  /// Withdraws and frees everything; no call-back follows.
  func close() {
    loop.onWake = {}
    for timer in [retry, nextGlance, planned] { timer?.cancel() }
    monitor = nil
    daemon?.close()
    stopStack()
    stopEarly()
    daemon = nil
    reporter.close()
  }

  // MARK: - Changes of the machine and the network

  private func interfacesChanged() {
    let before = (available: available, selection: selection)
    available = NetworkInterface.announceable()
    selection = InterfaceSelection(names: configuration.interfaces, available: available)
    guard selection != before.selection || available != before.available else { return }
    emit(.networkChanged)
    backoff.reset()
    let moved = Self.identity(selection.interfaces) != Self.identity(before.selection.interfaces)
    // The other interfaces determine whether loopback is served.
    let loopbackInDoubt =
      selection.interfaces.contains(where: \.isLoopback)
      && Self.identity(available.filter { $0.isUp && !$0.addresses.isEmpty })
        != Self.identity(before.available.filter { $0.isUp && !$0.addresses.isEmpty })
    if moved || loopbackInDoubt { askDaemon() }
    // This network may not have a crowd.
    if moved { follow { $0.networkMoved(at: SystemClock.boot.now, jitter: .random(in: 0...1)) } }
    if !moved, stack != nil {
      // The interfaces are the same, so only their addresses are announced again, without a goodbye
      // for the service.
      stack?.interfaces = selection.interfaces
      stack?.announcer.update(selection.interfaces)
    }
    choose()
  }

  /// Returns the properties whose change makes a stack useless.
  ///
  /// A cable that is plugged in leads to another network.
  private static func identity(_ interfaces: [NetworkInterface]) -> [String] {
    interfaces.map { "\($0.index) \($0.name) \($0.isRunning)" }
  }

  /// Restarts the search if the wall clock was set or the machine slept.
  ///
  /// Avahi schedules by the wall clock: if it is set back by an hour, the stack is silent for that
  /// hour. The clock is checked only when the loop wakes for another reason. This is enough: if no
  /// packet arrives, there is no machine to answer.
  private func checkClock() {
    guard clock.change().exceeds(Self.tolerance) else { return }
    emit(.networkChanged)
    loop.later { [unowned self] in
      restart()
      follow { $0.networkMoved(at: SystemClock.boot.now, jitter: .random(in: 0...1)) }
    }
  }

  // MARK: - Events

  private func note(_ observation: ServiceObservation) {
    reporter.note(observation)
    if case .withdrawn = observation, stack?.watcher?.hasRoomAgain == true {
      loop.later { [unowned self] in
        if stack?.watcher?.hasRoomAgain == true { restart() }
      }
    }
  }

  func renamed(_ next: Announcement) {
    guard let previous = announcement?.advertisement.instanceName else { return }
    announcement = next
    let name = next.advertisement.instanceName
    if name != previous { emit(.renamed(from: previous, to: name)) }
  }

  func become(_ next: DiscoveryState) {
    guard next != state else { return }
    state = next
    emit(.state(next))
  }
}
