import Foundation
import LatchkeyFuzzTargets
import Testing

/// A replay of all kept inputs of a target, in a process of its own.
enum Replay {
  /// The time limit of an input in seconds, thousands of times its usual duration.
  private static let limit: UInt32 = 60

  /// Runs a target with its seeds and kept inputs, and records every violation.
  ///
  /// - Parameters:
  ///   - name: The name of the target.
  ///   - progress: A file that names the present input, for a reader who finds this process ended
  ///     by a trap or a hang.
  /// - Throws: If an input cannot be read, or there are none.
  static func run(_ name: String, progress: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    for (number, seed) in target.seeds.enumerated() {
      try take(seed, called: "seed \(number) of \(name)", by: target, progress)
    }
    let inputs = try KeptInputs.failures(of: name) + KeptInputs.corpus(of: name)
    try #require(!inputs.isEmpty)
    for input in inputs { try take(input.bytes, called: input.name, by: target, progress) }
    try Data().write(to: URL(fileURLWithPath: progress))
  }

  private static func take(_ input: [UInt8], called name: String, by target: FuzzTarget, _ progress: String) throws {
    try Data(name.utf8).write(to: URL(fileURLWithPath: progress))
    // Ends the process; an endless loop cannot be stopped otherwise.
    alarm(limit)
    do { try target.run(input) } catch { Issue.record("\(name): \(error)") }
    alarm(0)
  }
}
