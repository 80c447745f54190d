/// One side of a connection, as its program sees it.
final class Port {
  let connection: Connection
  let node: SimulatedNode
  private let life: Int
  /// The address of the machine when the connection was made.
  let place: Int
  unowned let simulation: Simulation
  weak var other: Port?
  /// The receiver of the next frame; it calls `read` for another one.
  var onFrame: ((Frame) -> Void)?
  var onEnd: (() -> Void)?
  var onDrained: (() -> Void)?
  private(set) var isOpen = true
  private var isOver = false
  /// The frames on their way to the other side, in order.
  private var outgoing: [(frame: Frame, arrival: Int64)] = []
  private var isCarrying = false
  /// The bytes that the other program has not read.
  private(set) var unread = 0
  private var arrived: [Frame] = []
  private var isReading = false
  /// The time until which the program does not read, because of a trouble.
  var stalledUntil: Int64 = 0

  init(_ connection: Connection, _ node: SimulatedNode) {
    self.connection = connection
    self.node = node
    life = node.life
    place = node.place
    simulation = node.simulation
  }

  /// A Boolean value that indicates whether the program on this side is still running.
  var isHeld: Bool { node.isRunning && node.life == life }
  /// The address of the other machine at that time; `nil` if it is gone.
  var remotePlace: Int? { other?.place }
  var isWritable: Bool { unread < simulation.scenario.connectionBytes }

  func send(_ frame: Frame) {
    guard isOpen, !connection.isGone else { return }
    unread += frame.size
    if connection.caller === self, !connection.isReplay, connection.overheard.count < 6, connection.overheard.count > 0
    {
      connection.overheard.append(frame)
    }
    carry(frame)
  }

  /// Closes the connection after the sent frames.
  func close() {
    guard isOpen else { return }
    carry(.end)
    isOpen = false
    endSoon()
  }

  /// Closes the connection immediately; frames in flight may be lost.
  func abort() {
    guard isOpen else { return }
    isOpen = false
    outgoing.removeLast(simulation.random.below(outgoing.count + 1))
    other?.resetSoon()
    endSoon()
  }

  /// Handles the end of the program on a running machine, whose system closes the connection.
  func orphan() {
    guard isOpen else { return }
    isOpen = false
    outgoing.removeLast(simulation.random.below(outgoing.count + 1))
    carry(.end)
  }

  /// Requests the next frame.
  func read() {
    isReading = true
    give()
  }

  // MARK: On the way

  private func carry(_ frame: Frame) {
    let delay = simulation.network.delay + connection.extraDelay
    outgoing.append((frame, max(outgoing.last?.arrival ?? 0, simulation.now + delay)))
    move()
  }

  private func move() {
    guard !isCarrying, let head = outgoing.first else { return }
    isCarrying = true
    simulation.at(head.arrival) { [self] in
      isCarrying = false
      guard !connection.isGone, let other, !outgoing.isEmpty else { return }
      if let healed = simulation.network.cut(node.index, other.node.index) {
        // TCP repeats the frame until the path works again.
        outgoing[0].arrival = healed + Int64(200_000 + simulation.random.below(3_000_000))
        return move()
      }
      other.take(outgoing.removeFirst().frame)
      move()
    }
  }

  private func take(_ frame: Frame) {
    guard isHeld, isOpen else {
      // No program listens. A running machine answers so; a machine that is off does not answer.
      if node.isOn, !connection.isGone { other?.resetSoon() }
      return
    }
    arrived.append(frame)
    give()
  }

  /// Delivers the next frame if there is one and the program has requested it.
  func give() {
    guard isReading, !arrived.isEmpty, isHeld, !isOver else { return }
    guard !node.isAsleep else { return }
    let wait = stalledUntil - simulation.now
    guard wait <= 0 else { return simulation.after(wait) { [weak self] in self?.give() } }
    let frame = arrived.removeFirst()
    if case .end = frame { return end() }
    isReading = false
    other?.wasRead(frame.size)
    onFrame?(frame)
  }

  private func wasRead(_ bytes: Int) {
    let wasFull = !isWritable
    unread -= bytes
    if wasFull, isWritable, isOpen, isHeld { onDrained?() }
  }

  /// Handles a refusal by the other side, which loses the frames in both directions.
  private func resetSoon() {
    simulation.after(simulation.network.delay) { [weak self] in
      guard let self, let other, !connection.isGone,
        simulation.network.cut(node.index, other.node.index) == nil
      else { return }
      outgoing = []
      end()
    }
  }

  private func endSoon() {
    simulation.after(1) { [weak self] in self?.end() }
  }

  private func end() {
    guard !isOver, isHeld else { return }
    isOver = true
    isOpen = false
    onEnd?()
    forget()
  }

  /// Releases the listener.
  func forget() {
    (onFrame, onEnd, onDrained) = (nil, nil, nil)
  }
}
