import ArgumentParser
import Foundation
import LatchkeySimulation

/// A program that runs seeds of the simulator until one fails, or one seed with all its events.
@main
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey-simulate",
    abstract: "Run the protocol's machines on a network, disks and clocks that do their worst, seed after seed.",
    discussion: """
      Each seed is one household with one history: the same seed does the same on every run and machine. A seed that fails \
      is printed with the command that replays it.
      """)

  @Option(help: "How many seeds to run.")
  var seeds: Int = 10_000

  @Option(help: "The first seed; a random one, which is printed, if nothing is said.")
  var from: UInt64?

  @Option(help: "Run this seed alone.")
  var seed: UInt64?

  @Option(help: "How many nodes there are, 2 to 1000; if nothing is said, what the seed says.")
  var nodes: Int?

  @Option(help: "A mistake to be made on purpose, to see it noticed: see --list-faults.")
  var fault: DeliberateFault?

  @Flag(help: "Go on after a seed that fails, and print each one that does.")
  var keepGoing = false

  @Option(help: "How many seeds run at a time.")
  var workers = 2

  @Flag(help: "List the mistakes that can be made on purpose.")
  var listFaults = false

  @Flag(help: "Print what happens in the seed.")
  var trace = false

  func validate() throws {
    if let nodes, !(2...1_000).contains(nodes) { throw ValidationError("--nodes takes 2 to 1000.") }
    if seeds < 1 { throw ValidationError("--seeds takes 1 or more.") }
    if workers < 1 { throw ValidationError("--workers takes 1 or more.") }
    if trace, seed == nil { throw ValidationError("--trace needs --seed, or it would print for ever.") }
  }

  func run() throws {
    if listFaults {
      for fault in DeliberateFault.allCases { print(fault.rawValue) }
      return
    }
    if let seed { return try runOne(seed) }
    // Far below the largest number, so that the range never wraps around.
    let from = from ?? UInt64.random(in: 1...(1 << 48))
    print("Running \(seeds) seeds from \(from) on.")
    let sweep = SeedSweep(from: from, seeds: seeds, nodes: nodes, fault: fault, goesOn: keepGoing)
    let clock = ContinuousClock()
    let begun = clock.now
    let report = sweep.run(workers: workers) { failure in
      print("seed \(failure.seed): \(failure.what)\nreplay it with: \(failure.replay)")
      // The reader of a file or a pipe sees each failure immediately.
      fflush(nil)
    }
    let time = begun.duration(to: clock.now).components
    let perSecond = Double(report.seeds) / (Double(time.seconds) + Double(time.attoseconds) * 1e-18)
    print("\(report.seeds) seeds from \(from) on, \(report.failures.count) failed, \(Int(perSecond)) a second")
    print("at most \(report.busiest.events) events for a machine, in seed \(report.busiest.seed)")
    if !report.failures.isEmpty { throw ExitCode.failure }
  }

  private func runOne(_ seed: UInt64) throws {
    let simulation = Simulation(Scenario(seed: seed, nodes: nodes, showing: fault), fault: fault, isTraced: trace)
    let verdict = simulation.run()
    for line in simulation.trace.lines { print(line) }
    print("seed \(seed): \(verdict ?? "nothing went wrong")")
    if verdict != nil { throw ExitCode.failure }
  }
}

extension DeliberateFault: ExpressibleByArgument {}
