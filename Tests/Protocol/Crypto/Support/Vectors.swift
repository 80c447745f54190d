import Foundation

/// The files of test vectors.
enum Vectors {
  /// Reads one of the project's own files, which always exist.
  static func own<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) -> Result<
    Content, any Error
  > {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Protocol/vectors", directoryHint: .isDirectory)
    return Result { try read(folder.appending(path: name)) }
  }

  /// The folder with other projects' vectors, if one is configured.
  static let officialFolder = ProcessInfo.processInfo.environment["LATCHKEY_OFFICIAL_VECTORS"].flatMap {
    $0.isEmpty ? nil : URL(filePath: $0, directoryHint: .isDirectory)
  }
  /// The reason shown for tests that are skipped without other projects' vectors.
  static let officialReason = "LATCHKEY_OFFICIAL_VECTORS does not name the folder of other projects' vectors"

  /// Reads a file of other projects' vectors; call it only if the folder is configured.
  static func official<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) throws -> Content {
    guard let officialFolder else { throw CocoaError(.fileNoSuchFile) }
    return try read(officialFolder.appending(path: name))
  }

  private static func read<Content: Decodable>(_ file: URL) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
  }
}
