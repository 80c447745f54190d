import Foundation
import LatchkeyFuzzTargets
import Testing

/// Tests that replay the inputs that the fuzzers found.
@Suite struct FuzzReplayTests {
  private static let targets = FuzzTarget.all.map(\.name)

  @Test("Every kept input of a target runs without a fault, a trap or a hang", arguments: targets)
  func everyKeptInputHolds(target: String) async throws {
    let progress = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)").path
    try Data("nothing yet".utf8).write(to: URL(fileURLWithPath: progress))
    defer { try? FileManager.default.removeItem(atPath: progress) }
    await #expect(processExitsWith: .success) { [target, progress = progress as String] in
      try Replay.run(target, progress: progress)
    }
    let last = try String(contentsOfFile: progress, encoding: .utf8)
    #expect(last.isEmpty, "the replay of \(target) ended at: \(last)")
  }

  @Test("Every target has a corpus of at most 20 inputs, and every corpus belongs to a target")
  func everyTargetHasACorpus() throws {
    #expect(try KeptInputs.names(in: KeptInputs.corpora) == Self.targets.map { "\($0).txt" }.sorted())
    for target in Self.targets {
      let count = try KeptInputs.corpus(of: target).count
      #expect((1...KeptInputs.corpusCount).contains(count), "\(target): \(count) inputs")
    }
  }

  @Test("The failures are kept, each in the folder of a target")
  func theFailuresAreThere() throws {
    let folders = try KeptInputs.names(in: KeptInputs.failures)
    #expect(folders.allSatisfy(Self.targets.contains), "\(folders)")
    let files = try folders.flatMap { try KeptInputs.names(in: KeptInputs.failures.appendingPathComponent($0)) }
    #expect(!files.isEmpty)
  }

  @Test("Tools/fuzz runs all targets, in their order")
  func theToolNamesEveryTarget() throws {
    let tool = Process()
    tool.executableURL = KeptInputs.package.appendingPathComponent("Tools/fuzz")
    tool.arguments = ["--list"]
    let output = Pipe()
    tool.standardOutput = output
    try tool.run()
    let listed = try #require(try output.fileHandleForReading.readToEnd())
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 0)
    #expect(String(decoding: listed, as: UTF8.self).split(separator: "\n").map(String.init) == Self.targets)
  }
}
