import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// A household of simulated nodes that a seed determines.
///
/// The production machines run on a simulated network, disks and clocks. Nothing here waits, sleeps
/// or calls the system: the same seed has the same result in every run and on every machine.
public final class Simulation {
  /// The scenario that is run.
  public let scenario: Scenario
  let fault: DeliberateFault?
  var random: SeededRandom
  /// The random numbers for effects, so that a seed without effects keeps its history.
  var effectRandom: SeededRandom
  let keys: SeededKeys
  let coding: any BodyCoding
  /// The microseconds since the start.
  private(set) var now: Int64 = 0
  private var queue = EventQueue()
  private(set) var nodes: [SimulatedNode] = []
  private(set) lazy var network = Network(self)
  private(set) lazy var oracle = Oracle(self)
  private(set) lazy var chaos = Chaos(self)
  private(set) lazy var household = Household(self)
  private(set) lazy var handshakes = Handshakes(isSealed: scenario.isSealed, simulation: self)
  /// The recorded events.
  public private(set) var trace: Trace
  private var violation: String?
  private var epochs: UInt64 = 0
  private var places = 0
  /// The number of events so far.
  public private(set) var events = 0
  /// The number of events of a machine after which it counts as running in a circle.
  private static let mostEvents = 20_000

  /// Creates the simulation of a scenario, with a deliberate fault or none; `isTraced` records the
  /// events.
  public init(_ scenario: Scenario, fault: DeliberateFault? = nil, isTraced: Bool = false) {
    self.scenario = scenario
    self.fault = fault
    random = SeededRandom(seed: scenario.seed)
    effectRandom = SeededRandom(seed: scenario.seed ^ 0xA6E7)
    keys = SeededKeys(seed: scenario.seed ^ 0xCE75)
    coding = scenario.isSealed ? MessageBodyCoding(.simulated) : TableCoding()
    trace = Trace(isKept: isTraced)
  }

  /// Runs the scenario: troubles, then calm, in which everything must arrive.
  ///
  /// - Returns: A description of the first violation; `nil` if there is none.
  public func run() -> String? {
    household.move(in: scenario)
    household.plan()
    chaos.plan()
    go(until: scenario.length * 1_000)
    if violation == nil { chaos.end() }
    let peace = now
    while violation == nil, oracle.whatIsMissing() != nil, now - peace < 900_000_000 { go(until: now + 500_000) }
    if violation == nil { violation = oracle.whatIsMissing() }
    if violation == nil {
      // New items also arrive, so nothing is stuck.
      household.lastWave()
      let wave = now
      repeat {
        go(until: now + 500_000)
      } while violation == nil && oracle.whatIsMissing() != nil && now - wave < 300_000_000
      if violation == nil { violation = oracle.whatIsMissing() ?? oracle.whatIsWrong() }
    }
    let verdict = violation
    tearDown()
    return verdict
  }

  /// Processes the events up to a time.
  private func go(until end: Int64) {
    while violation == nil, let event = queue.next(before: end) {
      now = event.time
      events += 1
      if events > Self.mostEvents * nodes.count {
        fail("it does not settle: \(events) events by \(now / 1_000_000) s")
      }
      event.run()
    }
    now = max(now, end)
  }

  // MARK: For the participants

  func at(_ time: Int64, _ run: @escaping () -> Void) { queue.add(at: max(now, time), run) }
  func after(_ micros: Int64, _ run: @escaping () -> Void) { queue.add(at: now + max(0, micros), run) }

  /// Records the first violation.
  func fail(_ what: String) {
    guard violation == nil else { return }
    violation = "after \(now / 1_000) ms: \(what)"
    note(99, "VIOLATION: \(what)")
  }

  func note(_ kind: UInt64, _ line: @autoclosure () -> String) { trace.note(now, kind, line) }

  func freshEpoch() -> UInt64 {
    epochs += 1
    return random.next() | 1
  }

  /// Returns an address at which no machine has been.
  func freshPlace() -> Int {
    places += 1
    return places
  }

  func jitter() -> Double { Double.random(in: 0...1, using: &random) }
  func pick<Value>(_ values: [Value]) -> Value? { values.isEmpty ? nil : values[random.below(values.count)] }
  func linkKeys() -> LinkKeyPair { Samples.linkKeys(&random) }
  func node(_ device: DeviceID) -> SimulatedNode? { nodes.first { $0.device == device } }
  func name(_ device: DeviceID) -> String { node(device)?.name ?? "?" }

  func add(_ device: DeviceID, _ role: DeviceRole, linkKey: LinkKeyPair?, store: ModelStore? = nil) -> SimulatedNode {
    let node = SimulatedNode(self, index: nodes.count, device: device, role: role, linkKey: linkKey, store: store)
    nodes.append(node)
    return node
  }

  func remove(_ node: SimulatedNode) {
    nodes.removeAll { $0 === node }
  }

  private func tearDown() {
    queue.removeAll()
    network.tearDown()
    for node in nodes { node.tearDown() }
  }
}
