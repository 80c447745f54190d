import Foundation
import Testing

/// The inputs in this repository: the fuzzers' best inputs, and those that once failed.
enum KeptInputs {
  /// One input, with the name by which a person finds it.
  typealias Input = (name: String, bytes: [UInt8])

  /// The most inputs in a corpus.
  static let corpusCount = 20

  /// The top of the repository.
  static let package: URL = {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package
  }()
  /// The folder with a file of inputs for each target.
  ///
  /// Each line of `NAME.txt` is an input in base64. `Tools/fuzz --keep` writes them.
  static let corpora = package.appendingPathComponent("Tests/Fuzz/Corpora")
  /// The folder with a folder for each target that failed.
  ///
  /// Each file in it is an input that failed.
  static let failures = package.appendingPathComponent("Tests/Fuzz/Failures")

  /// Returns the names in a folder, sorted.
  ///
  /// - Throws: If the folder does not exist.
  static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Returns the inputs of a target's corpus.
  ///
  /// - Throws: If a line is not base64, or the target has no corpus.
  static func corpus(of target: String) throws -> [Input] {
    let text = try String(contentsOf: corpora.appendingPathComponent("\(target).txt"), encoding: .utf8)
    return try text.split(separator: "\n").enumerated().map { number, line in
      let name = "line \(number + 1) of Tests/Fuzz/Corpora/\(target).txt"
      return (name, [UInt8](try #require(Data(base64Encoded: String(line)), "\(name) is not base64")))
    }
  }

  /// Returns the inputs that once failed in a target.
  static func failures(of target: String) throws -> [Input] {
    let folder = failures.appendingPathComponent(target)
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try names(in: folder).map { name in
      let file = folder.appendingPathComponent(name)
      return (file.path, [UInt8](try Data(contentsOf: file)))
    }
  }
}
