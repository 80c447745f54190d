/// The version of a Flatpak, from the description that it exports along with its menu entry.
enum FlatpakVersion {
  private static let mostBytes = 1 << 20

  /// Returns the version of the newest release that the description names; `nil` if there is none.
  static func read(_ id: String, in share: String) -> String? {
    guard !id.contains("/") else { return nil }
    for path in ["metainfo/\(id).metainfo.xml", "metainfo/\(id).appdata.xml", "appdata/\(id).appdata.xml"] {
      if let bytes = BoundedFile.bytes("\(share)/\(path)", most: mostBytes) { return version(in: bytes) }
    }
    return nil
  }

  /// Returns the version in the first release tag, which is that of the newest release.
  static func version(in bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let tag = text.firstRange(of: "<release ") else { return nil }
    let attributes = text[tag.upperBound...].prefix { $0 != ">" }
    for quote in ["\"", "'"] {
      guard let value = attributes.firstRange(of: "version=" + quote) else { continue }
      return String(attributes[value.upperBound...].prefix { String($0) != quote })
    }
    return nil
  }
}
