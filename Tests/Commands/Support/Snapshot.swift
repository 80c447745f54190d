import Foundation
import Testing

/// The expected texts in the folder Snapshots; LATCHKEY_WRITE_SNAPSHOTS=1 writes them, and the
/// difference must be read.
enum Snapshot {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Snapshots")

  /// Compares `text` with the file `name`.
  static func expect(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appending(path: name + ".txt")
    if ProcessInfo.processInfo.environment["LATCHKEY_WRITE_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let kept = try? String(contentsOf: file, encoding: .utf8)
    #expect(text == kept, "\(name)", sourceLocation: sourceLocation)
  }

  /// The names of all texts that are kept under `prefix`.
  static func names(_ prefix: String) throws -> Set<String> {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Set(files.filter { $0.hasPrefix(prefix) }.map { String($0.dropLast(".txt".count)) })
  }
}
