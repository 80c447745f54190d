import Dispatch
import Synchronization

/// Runs seed after seed until one fails.
public struct SeedSweep: Sendable {
  /// A seed in which something went wrong.
  public struct Failure: Sendable {
    public let seed: UInt64
    public let what: String
    /// The command that runs it again with a trace.
    public let replay: String
  }

  /// What came of it.
  public struct Report: Sendable {
    /// Seeds that were run.
    public var seeds = 0
    /// The lowest seed that failed, of those that were run.
    public var failure: Failure?
  }

  private let from: UInt64
  private let seeds: Int
  private let nodes: Int?
  private let fault: DeliberateFault?

  public init(from: UInt64, seeds: Int, nodes: Int? = nil, fault: DeliberateFault? = nil) {
    self.from = from
    self.seeds = seeds
    self.nodes = nodes
    self.fault = fault
  }

  /// Run them, several at a time; each by itself is on one thread.
  public func run(workers: Int) -> Report {
    let next = Atomic(0)
    let report = Mutex(Report())
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while report.withLock({ $0.failure == nil }) {
        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard place < seeds else { return }
        let seed = from &+ UInt64(place)
        let verdict = Simulation(Scenario(seed: seed, nodes: nodes, showing: fault), fault: fault).run()
        report.withLock { report in
          report.seeds += 1
          guard let verdict, report.failure.map({ seed < $0.seed }) ?? true else { return }
          report.failure = Failure(seed: seed, what: verdict, replay: replay(seed))
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
