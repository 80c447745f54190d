import Dispatch
import Synchronization

/// A sweep over seeds, until one fails or all have run.
public struct SeedSweep: Sendable {
  /// A seed in which something went wrong.
  public struct Failure: Sendable {
    /// The seed of the failed run.
    public let seed: UInt64
    /// A description of the failure.
    public let what: String
    /// The command that runs it again with a trace.
    public let replay: String
  }

  /// The result of a sweep.
  public struct Report: Sendable {
    /// The number of seeds that were run.
    public var seeds = 0
    /// The greatest number of events for each machine, and the seed that had it.
    public internal(set) var busiest: (events: Int, seed: UInt64) = (0, 0)
    /// The seeds that failed, lowest first.
    public internal(set) var failures: [Failure] = []
    /// The failure of the lowest seed.
    public var failure: Failure? { failures.first }
  }

  private let from: UInt64
  private let seeds: Int
  private let nodes: Int?
  private let fault: DeliberateFault?
  private let goesOn: Bool

  /// Creates a sweep over `seeds` seeds from `from`.
  ///
  /// With `goesOn`, it continues after a seed that fails.
  public init(from: UInt64, seeds: Int, nodes: Int? = nil, fault: DeliberateFault? = nil, goesOn: Bool = false) {
    self.from = from
    self.seeds = seeds
    self.nodes = nodes
    self.fault = fault
    self.goesOn = goesOn
  }

  /// Runs the seeds in parallel, each on one thread.
  ///
  /// `found` gets each failure, from one thread at a time.
  public func run(workers: Int, found: @Sendable (Failure) -> Void = { _ in }) -> Report {
    let next = Atomic(0)
    let report = Mutex(Report())
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while goesOn || report.withLock({ $0.failures.isEmpty }) {
        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard place < seeds else { return }
        let seed = from &+ UInt64(place)
        let simulation = Simulation(Scenario(seed: seed, nodes: nodes, showing: fault), fault: fault)
        let verdict = simulation.run()
        let events = simulation.events / (simulation.scenario.parents + simulation.scenario.children)
        report.withLock { report in
          report.seeds += 1
          if events > report.busiest.events { report.busiest = (events, seed) }
          guard let verdict else { return }
          let failure = Failure(seed: seed, what: verdict, replay: replay(seed))
          report.failures.append(failure)
          report.failures.sort { $0.seed < $1.seed }
          found(failure)
        }
      }
    }
    return report.withLock { $0 }
  }

  private func replay(_ seed: UInt64) -> String {
    "Tools/simulate --seed \(seed) --trace" + (nodes.map { " --nodes \($0)" } ?? "")
      + (fault.map { " --fault \($0.rawValue)" } ?? "")
  }
}
