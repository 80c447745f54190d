import Foundation
import LatchkeyFuzzTargets
import Testing

/// A replay of the inputs that the fuzzers found, in every test run.
@Suite struct FuzzReplayTests {
  private static let targets = FuzzTarget.all.map(\.name)

  @Test("Every kept input of a target is taken without a fault, a trap or a hang", arguments: targets)
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

  @Test("Every target has a corpus of at most 200 files and 1 MiB, and no folder is of a target that is none")
  func everyTargetHasACorpus() throws {
    #expect(try KeptInputs.names(in: KeptInputs.corpora) == Self.targets.sorted())
    for target in Self.targets {
      let folder = KeptInputs.corpora.appendingPathComponent(target)
      let sizes = try KeptInputs.names(in: folder).map { try Data(contentsOf: folder.appendingPathComponent($0)).count }
      #expect((1...200).contains(sizes.count), "\(target): \(sizes.count) files")
      #expect(sizes.reduce(0, +) <= 1_048_576, "\(target): \(sizes.reduce(0, +)) bytes")
    }
  }

  @Test("The failures are there, each in the folder of a target")
  func theFailuresAreThere() throws {
    let folders = try KeptInputs.names(in: KeptInputs.failures)
    #expect(folders.allSatisfy(Self.targets.contains), "\(folders)")
    let files = try folders.flatMap { try KeptInputs.names(in: KeptInputs.failures.appendingPathComponent($0)) }
    #expect(!files.isEmpty)
  }

  @Test("Tools/fuzz runs the targets that there are, in their order")
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
