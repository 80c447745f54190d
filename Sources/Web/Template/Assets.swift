import LatchkeyModel
import LatchkeyProtocol

/// The files that pages load, each with a hash of its content in its name, so that a browser may
/// keep it for ever.
struct Assets: Sendable {
  struct File: Sendable {
    var type: String
    var bytes: [UInt8]
  }

  static let all = Assets([
    ("style", "css", "text/css; charset=utf-8", StyleSheet.text),
    ("script", "js", "text/javascript; charset=utf-8", PageScript.text),
    ("icon", "svg", "image/svg+xml", icon),
  ])

  private static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2268b2" stroke-width="2.5">\
    <circle cx="8" cy="12" r="5"/><path d="M13 12h9M18 12v4M22 12v3"/></svg>

    """

  /// The files by their paths.
  let files: [String: File]
  /// The path of each file by its name without the hash.
  let paths: [String: String]

  private init(_ assets: [(name: String, ending: String, type: String, text: String)]) {
    var (files, paths): ([String: File], [String: String]) = ([:], [:])
    for asset in assets {
      let bytes = [UInt8](asset.text.utf8)
      let path = "/\(asset.name)-\(Hexadecimal.encode(Array(SHA256.hash(bytes).prefix(8)))).\(asset.ending)"
      files[path] = File(type: asset.type, bytes: bytes)
      paths[asset.name] = path
    }
    (self.files, self.paths) = (files, paths)
  }
}
