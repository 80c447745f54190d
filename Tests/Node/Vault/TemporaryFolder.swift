import Foundation
import LatchkeyNode
import LatchkeyProtocol

/// A folder that is removed at deinitialization.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of all entries, including hidden ones.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
