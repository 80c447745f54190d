import Foundation
import Testing

/// A folder for one test.
enum TemporaryFolder {
  /// Creates a folder for a closure and removes it afterwards; `bytes` is the length of its path,
  /// `nil` for any.
  static func with(bytes: Int? = nil, _ body: (String) async throws -> Void) async throws {
    let root = "/tmp/latchkey-\(UUID().uuidString)"
    var path = root
    if let bytes {
      while path.utf8.count < bytes {
        // A name has at most 255 bytes; a rest of one byte would be a slash without a name.
        let rest = bytes - path.utf8.count - 1
        path += "/" + String(repeating: "d", count: rest > 60 ? 50 : rest)
      }
      try #require(path.utf8.count == bytes)
    }
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: root) }
    try await body(path)
  }
}
