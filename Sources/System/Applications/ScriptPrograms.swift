/// The programs that a script names.
///
/// A script may replace itself with one of them before the agent has seen the script.
///
/// Spec: Protocol/10-household.md §5.
enum ScriptPrograms {
  /// The largest size of a script that is read, in bytes, and the most programs.
  private static let (mostBytes, most) = (65_536, 8)

  /// Returns the programs that a script names by an absolute path or by one relative to its own
  /// folder, without those in the shared folders.
  static func named(in script: String, besides folders: Set<String>) -> [String] {
    guard let bytes = BoundedFile.bytes(script, most: mostBytes), let end = script.lastIndex(of: "/") else { return [] }
    let folder = String(script[..<end])
    var found: [String] = []
    // A word consists of characters without a meaning for shells. Of `"$(dirname "$0")/data/game"`,
    // it is the part after the parenthesis.
    for word in bytes.split(whereSeparator: { !isOfPath($0) }) where word.contains(0x2F) {
      let word = String(decoding: word, as: UTF8.self)
      let places = word.hasPrefix("/") ? [word, folder + word] : [folder + "/" + word]
      for path in places where found.count < most && !found.contains(path) && path != script {
        guard !word.split(separator: "/").contains(".."), let last = path.lastIndex(of: "/"),
          !folders.contains(String(path[..<last])), BoundedFile.isProgram(path)
        else { continue }
        found.append(path)
      }
    }
    return found
  }

  private static func isOfPath(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: false
    }
  }
}
