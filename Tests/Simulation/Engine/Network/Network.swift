/// The LAN, which connects nodes, and parts of which fail for a time.
final class Network {
  private struct Way: Hashable {
    let low: Int
    let high: Int

    init(_ one: Int, _ other: Int) {
      (low, high) = (min(one, other), max(one, other))
    }
  }

  unowned let simulation: Simulation
  private var cuts: [Way: Int64] = [:]
  private var allCutUntil: Int64 = 0
  /// The longest duration of a message, in microseconds.
  var slowest = 2_000
  private(set) var connections: [Connection] = []
  private(set) var dials = 0

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  /// The duration of one message in microseconds.
  var delay: Int64 { Int64(50 + simulation.random.below(slowest)) }

  /// Returns the time at which the path between two nodes is restored; `nil` if it works.
  func cut(_ one: Int, _ other: Int) -> Int64? {
    let until = max(allCutUntil, cuts[Way(one, other)] ?? 0)
    return until > simulation.now ? until : nil
  }

  func cut(_ one: Int, _ other: Int, for micros: Int64) {
    cuts[Way(one, other)] = simulation.now + micros
  }

  func cutAll(for micros: Int64) {
    allCutUntil = simulation.now + micros
  }

  func heal() {
    cuts = [:]
    allCutUntil = 0
    slowest = 2_000
    for connection in open {
      connection.extraDelay = 0
      connection.caller?.stalledUntil = 0
      connection.callee?.stalledUntil = 0
      connection.caller?.give()
      connection.callee?.give()
    }
  }

  var open: [Connection] {
    connections.filter { ($0.caller?.isOpen ?? false) || ($0.callee?.isOpen ?? false) }
  }

  /// Connects to the listener of the node at a place; passes `nil` if that fails.
  func dial(_ from: SimulatedNode, place: Int, _ then: @escaping (Port?) -> Void) {
    dials += 1
    let (number, started) = (dials, simulation.now)
    func attempt() {
      guard let to = simulation.nodes.first(where: { $0.place == place }), cut(from.index, to.index) == nil, to.isOn
      else {
        // There is no answer; the packet is repeated until the dialer gives up.
        guard simulation.now - started < 5_000_000 else { return then(nil) }
        return simulation.after(1_000_000) { attempt() }
      }
      guard to.isListening else { return then(nil) }
      let connection = Connection(number: number)
      connections.append(connection)
      tidy()
      let ports = connection.connect(from, to)
      simulation.after(delay) { then(ports.caller) }
      to.act(after: delay) { to.accept(ports.callee) }
    }
    simulation.after(delay) { attempt() }
  }

  /// Lets an eavesdropper replay the frames of a caller.
  func replay(_ old: Connection, to node: SimulatedNode, from ghost: SimulatedNode) {
    guard node.isListening else { return }
    dials += 1
    let connection = Connection(number: dials)
    connections.append(connection)
    connection.isReplay = true
    let ports = connection.connect(ghost, node)
    node.act(after: delay) { node.accept(ports.callee) }
    for frame in old.overheard { ports.caller.send(frame) }
  }

  /// Releases connections that no node holds, except the latest, which an eavesdropper may have
  /// recorded.
  private func tidy() {
    guard connections.count > 256 else { return }
    let last = connections.suffix(32)
    connections = open.filter { connection in !last.contains { $0 === connection } } + last
  }

  func tearDown() {
    for connection in connections { connection.forget() }
    connections = []
  }
}
