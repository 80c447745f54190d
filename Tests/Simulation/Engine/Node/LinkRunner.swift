import LatchkeyModel
import LatchkeyProtocol

/// A runner for the machine of one link, on a simulated disk, network and clock.
///
/// It does what `PeerLink` does on real ones. It makes no decisions, except for the deliberate
/// mistakes.
final class LinkRunner {
  unowned let node: SimulatedNode
  let peer: DeviceID
  var machine: LinkMachine
  /// The connections of the sessions that the machine holds, by their numbers.
  var seats: [Int: LinkSeat] = [:]
  /// The closures that end the calls in progress.
  var calls: [Int: () -> Void] = [:]
  var role: DeviceRole
  private var isDraining = false
  private var alarmAt: BootInstant?
  private var alarms = 0

  var simulation: Simulation { node.simulation }
  var current: Int? { machine.current }
  /// The connection of the machine's present session.
  var connection: Connection? { machine.current.flatMap { seats[$0]?.port.connection } }
  var name: String { "\(node.name)→\(simulation.name(peer))" }

  init(_ node: SimulatedNode, _ record: ModelPeer, _ streams: LinkStreams) {
    self.node = node
    peer = record.device
    role = record.role
    var settings = LinkSettings(
      device: node.device, runID: node.runID, name: node.name, role: node.role,
      host: { "p\($0.reduce(0) { $0 << 8 | Int($1) })" }, verify: { _ throws(SessionFault) in })
    settings.windowItems = node.simulation.scenario.windowItems
    settings.windowBytes = node.simulation.scenario.windowBytes
    settings.batchBytes = node.simulation.scenario.frameBytes
    machine = LinkMachine(
      peer: record.device, settings: settings, standing: record.standing, keyID: node.keyID(record), streams: streams,
      told: node.remembered[record.device]?.told.map { [SocketEndpoint(place: $0)] } ?? [],
      surroundings: node.surroundings, jitterSeed: node.simulation.random.next(), now: node.now)
  }

  /// Starts the link.
  func run() { update { $0.begin(now: $1) } }

  // MARK: The machine

  /// Passes an input to the machine, and runs its effects.
  func update(_ tell: (inout LinkMachine, BootInstant) -> Void) {
    guard node.isRunning else { return }
    let before = machine
    tell(&machine, node.now)
    spoil(before)
    guard !isDraining else { return }
    isDraining = true
    var effects = machine.takeEffects()
    while !effects.isEmpty {
      for effect in effects where node.isRunning { run(effect) }
      effects = machine.takeEffects()
    }
    isDraining = false
    setAlarm()
  }

  /// Sets the alarm, never sooner than 10 ms ahead.
  ///
  /// The machine does not rely on that delay; the oracle checks that everything due is done at
  /// once.
  private func setAlarm() {
    guard let due = machine.nextTimer, alarmAt.map({ due < $0 }) ?? true else { return }
    alarmAt = due
    alarms += 1
    let alarm = alarms
    node.act(after: max(10, due - node.now) * 1_000) { [weak self] in
      guard let self, alarms == alarm else { return }
      alarmAt = nil
      guard let due = machine.nextTimer, due <= node.now else { return setAlarm() }
      update { machine, now in
        machine.timerFired(now: now)
        simulation.oracle.timerFired(self, next: machine.nextTimer)
      }
    }
  }

  /// Opens a session on a connection with a completed handshake; `tell` gives the session's number.
  func open(_ port: Port, _ sealing: Sealing, _ tell: (inout LinkMachine, BootInstant) -> Int?) {
    let seat = LinkSeat(port, sealing)
    var opened: Int?
    // Effects run once the connection has its seat.
    isDraining = true
    update { opened = tell(&$0, $1) }
    isDraining = false
    if let opened {
      seats[opened] = seat
      port.onDrained = { [weak self] in self?.update { $0.drained(opened, now: $1) } }
      port.onEnd = { [weak self] in self?.update { $0.connectionEnded(opened, now: $1) } }
      port.onFrame = { [weak self] frame in self?.take(frame, opened) }
      port.read()
      simulation.oracle.opened(self)
    } else {
      port.onEnd = nil
      port.close()
    }
    update { _, _ in }
  }

  private func take(_ frame: Frame, _ number: Int) {
    guard let seat = seats[number] else { return }
    do throws(SessionFault) {
      let honest = try seat.open(frame)
      if let hello = honest.hello {
        (seat.windowItems, seat.windowBytes) = (Int(hello.windowItems), Int(hello.windowBytes))
      }
      let batch = spoiled(honest, number)
      simulation.note(11, "\(name) session \(number) takes \(describe(batch))")
      for stored in batch.stored { seat.onTheWay[stored.streamClass]?.removeAll { $0.skipThrough <= stored.through } }
      update { $0.received(batch, on: number, now: $1) }
    } catch {
      update { $0.faulted(number, error, now: $1) }
    }
    if machine.wantsFrames(number) { seat.port.read() }
  }

  // MARK: What the node says

  /// Updates the link after the disk's data about the peer changed.
  func refresh(_ record: ModelPeer) {
    role = record.role
    update { $0.changed(record.standing, keyID: node.keyID(record), now: $1) }
  }

  /// Ends the link, since the peer is no longer paired.
  func end() {
    simulation.note(15, "\(name) ends")
    update { $0.end(now: $1) }
  }

  /// Ends the link with its process, without any further effect.
  func vanishWithProcess() {
    seats = [:]
    calls = [:]
  }

  /// Passes on that items were made durable for the peer.
  func committed(_ change: ModelChange) {
    update { machine, now in
      machine.committed(
        change.streamClass, epoch: change.epoch, last: change.last, items: change.items, now: now)
    }
  }

  func diskRecovered() { update { $0.diskRecovered(now: $1) } }

  /// Handles the sighting of the peer's machine at an address over mDNS; `isNews` if it was not
  /// visible before.
  func sighted(_ place: Int, instance: String, isNews: Bool) {
    update {
      if isNews { $0.lost(instance: instance) }
      $0.discovered([SocketEndpoint(place: place)], instance: instance, now: $1)
    }
  }

  /// Handles a new address of this machine, or waking from sleep.
  func networkChanged() {
    update { $0.networkChanged(node.surroundings, now: $1) }
  }

  // MARK: Words

  private func describe(_ batch: SessionBatch) -> String {
    var parts: [String] = []
    if let hello = batch.hello {
      let held = hello.held.map {
        "\($0.streamClass.word) \($0.sequence) is \(Hexadecimal.encode($0.itemID.suffix(3)))"
      }
      parts.append(
        "hello out \(brief(hello.outgoing)) in \(brief(hello.incoming)) held \(held.joined(separator: ", "))")
    }
    for run in batch.runs {
      let first = run.items.first?.sequence ?? 0
      parts.append("\(run.streamClass.word) \(run.epoch % 1_000)/\(first)…\(run.items.last?.skipThrough ?? 0)")
    }
    if !batch.stored.isEmpty { parts.append("stored \(brief(batch.stored))") }
    if let goodbye = batch.goodbye { parts.append("goodbye \(goodbye)") }
    if let reach = batch.reach { parts.append("reach \(reach.addresses)") }
    return parts.isEmpty ? "ping or pong" : parts.joined(separator: ", ")
  }

  private func brief(_ positions: [StreamPosition]) -> String {
    positions.map { "\($0.streamClass.word) \($0.epoch % 1_000)/\($0.through)" }.joined(separator: " ")
  }
}
