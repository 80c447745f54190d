import Foundation
import LatchkeyFuzzTargets

/// The inputs in this repository: the best ones of the fuzzers, and all that ever failed.
enum KeptInputs {
  /// The top of the repository.
  static let package: URL = {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package
  }()
  /// A folder a target: the inputs that together reach all that the fuzzer has reached.
  static let corpora = package.appendingPathComponent("Tests/Fuzz/Corpora")
  /// A folder a target that failed: the inputs that did it.
  static let failures = package.appendingPathComponent("Tests/Fuzz/Failures")

  /// The names in a folder, sorted.
  ///
  /// - Throws: when there is no such folder.
  static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// The kept inputs of a target, failures first; a target that never failed has no folder of failures.
  ///
  /// - Throws: when the target has no corpus.
  static func files(of target: String) throws -> [URL] {
    let failed = failures.appendingPathComponent(target)
    let corpus = corpora.appendingPathComponent(target)
    let folders = FileManager.default.fileExists(atPath: failed.path) ? [failed, corpus] : [corpus]
    return try folders.flatMap { folder in try names(in: folder).map(folder.appendingPathComponent) }
  }
}
