import LatchkeyModel

/// The disk of a node.
///
/// It runs one transaction after another. Each is durable at one moment, and is answered at a later
/// one. A crash keeps what was durable, answered or not, and nothing else.
final class Disk {
  private unowned let node: SimulatedNode
  private var freeAt: Int64 = 0
  /// The longest duration of a transaction in microseconds.
  var slowest = 3_000
  /// The time until which every third transaction fails.
  var fullUntil: Int64 = 0
  /// A Boolean value that indicates whether the node knows that its disk refuses, and will notice
  /// when that ends.
  private var isNoticed = false
  /// A crash of the process in the transaction that brings the count to 0, right before or right
  /// after it is durable.
  var killIn: (commits: Int, isDurable: Bool, losesPower: Bool)?

  private var simulation: Simulation { node.simulation }

  init(_ node: SimulatedNode) {
    self.node = node
  }

  /// Begins a process, for which no transaction is pending.
  func begin() {
    freeAt = simulation.now
    isNoticed = false
  }

  /// Makes a change durable and passes its result on.
  ///
  /// `peer` is the only peer whose streams it changes, or `nil` for several.
  func commit<Value>(
    _ what: @autoclosure @escaping () -> String, with peer: DeviceID? = nil,
    _ body: @escaping (inout ModelStore) throws(ModelStoreFault) -> Value,
    then: @escaping (Result<Value, ModelStoreFault>) -> Void
  ) {
    let random = simulation.random.below(slowest)
    // Simultaneous changes often become durable together.
    let isGrouped = simulation.random.once(in: 3)
    freeAt = max(simulation.now, freeAt) + (isGrouped ? 0 : Int64(30 + random))
    let wait = freeAt - simulation.now
    node.act(after: wait) { [unowned self] in
      if killIn?.commits == 1, let kill = killIn, !kill.isDurable {
        killIn = nil
        return die(kill.losesPower)
      }
      let result = run(what, peer, body)
      if let kill = killIn {
        killIn = kill.commits == 1 ? nil : (kill.commits - 1, kill.isDurable, kill.losesPower)
        if kill.commits == 1 { return die(kill.losesPower) }
      }
      node.act(after: Int64(1 + simulation.random.below(300))) { then(result) }
    }
  }

  /// Reads one consistent state, of some time between the request and the answer.
  func read<Value>(_ body: @escaping (ModelStore) -> Value, then: @escaping (Value) -> Void) {
    node.act(after: Int64(1 + simulation.random.below(200))) { [unowned self] in
      let value = body(node.store)
      node.act(after: Int64(1 + simulation.random.below(simulation.random.once(in: 10) ? 20_000 : 100))) { then(value) }
    }
  }

  private func run<Value>(
    _ what: () -> String, _ peer: DeviceID?, _ body: (inout ModelStore) throws(ModelStoreFault) -> Value
  ) -> Result<Value, ModelStoreFault> {
    if fullUntil > simulation.now, simulation.random.once(in: 3) {
      if !isNoticed {
        isNoticed = true
        node.act(after: fullUntil - simulation.now + 1_000_000) { [unowned self] in
          isNoticed = false
          for link in node.links { link.diskRecovered() }
        }
      }
      simulation.note(3, "\(node.name) disk refuses \(what())")
      return .failure(.diskFull)
    }
    let before = node.store
    do {
      let value = try body(&node.store)
      simulation.note(4, "\(node.name) durable: \(what())")
      simulation.oracle.committed(node, before, with: peer)
      return .success(value)
    } catch {
      node.store = before
      simulation.note(5, "\(node.name) refuses \(what()): \(error)")
      return .failure(error)
    }
  }

  private func die(_ losesPower: Bool) {
    node.crash(losesPower: losesPower)
    simulation.chaos.restartLater(node)
  }
}
