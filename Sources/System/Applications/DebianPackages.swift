import Glibc

/// The installed packages according to dpkg's files; empty on a machine without dpkg.
public struct DebianPackages: Sendable {
  let folder: String
  private static let mostPackages = 20_000
  private static let mostListBytes = 32 << 20
  private static let mostStatusBytes = 64 << 20
  private static let mostFieldBytes = 16_384

  /// Returns the names of the lists of packages' files in a folder such as `/var/lib/dpkg/info`,
  /// with their packages.
  public static func lists(in folder: String) -> [(file: String, package: String)] {
    (ProcFile.names(in: folder, most: mostPackages * 8, withHidden: false) ?? []).compactMap { name in
      // A name such as “libc6:amd64.list”.
      name.hasSuffix(".list") ? (name, String(name.dropLast(5).prefix { $0 != ":" })) : nil
    }
  }

  /// Returns the paths in the first 8 MiB of a package's list; `nil` if it cannot be read.
  public static func paths(in list: String) -> (some Sequence<String>)? {
    ProcFile.read(list, most: 8 << 20)?.split(separator: 0x0A).lazy.map { String(decoding: $0, as: UTF8.self) }
  }

  func owners(of paths: Set<String>) -> [String: String] {
    guard !paths.isEmpty else { return [:] }
    var wanted: [[UInt8]: String] = [:]
    for path in paths {
      wanted[Array(path.utf8)] = path
      // Where `/bin` is a link to `/usr/bin`, packages may still name the former.
      if path.hasPrefix("/usr/bin/") || path.hasPrefix("/usr/sbin/") { wanted[Array(path.utf8.dropFirst(4))] = path }
    }
    let folders = Array(Set(wanted.keys.map { Array($0[...($0.lastIndex(of: UInt8(ascii: "/")) ?? 0)]) }))
    var owners: [String: String] = [:]
    for list in Self.lists(in: folder + "/info").sorted(by: { $0.file < $1.file }) {
      guard owners.count < paths.count else { break }
      guard let bytes = BoundedFile.bytes("\(folder)/info/\(list.file)", most: Self.mostListBytes) else { continue }
      Self.lines(of: bytes, beginningWith: folders) { line in
        guard let path = wanted[Array(line)], owners[path] == nil else { return }
        owners[path] = list.package
      }
    }
    return owners
  }

  func versions(of packages: Set<String>) -> [String: String] {
    guard !packages.isEmpty, let bytes = BoundedFile.bytes(folder + "/status", most: Self.mostStatusBytes) else {
      return [:]
    }
    var versions: [String: String] = [:]
    let key = Array("Package: ".utf8)
    Self.lines(of: bytes, beginningWith: [key]) { line in
      let name = String(decoding: line.dropFirst(key.count), as: UTF8.self)
      guard packages.contains(name) else { return }
      // An empty line ends a package's paragraph, with status and version near its start.
      let rest = line.base[line.endIndex...].dropFirst().prefix(Self.mostFieldBytes)
      let fields = String(decoding: rest, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .prefix { !$0.isEmpty }
      guard fields.contains(where: { $0.hasPrefix("Status: ") && $0.hasSuffix(" installed") }) else { return }
      versions[name] = fields.first { $0.hasPrefix("Version: ") }.map { String($0.dropFirst(9)) }
    }
    return versions
  }

  /// Visits the lines that begin with one of several prefixes.
  ///
  /// Most lines of a package are not needed, so the C library searches them.
  private static func lines(
    of bytes: [UInt8], beginningWith prefixes: [[UInt8]], _ visit: (Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      var start = 0
      while start < buffer.count {
        let left = buffer.count - start
        let length = memchr(base + start, 0x0A, left).map { UnsafeRawPointer($0) - base - start } ?? left
        for prefix in prefixes where prefix.count <= length && memcmp(base + start, prefix, prefix.count) == 0 {
          visit(buffer[start..<(start + length)])
          break
        }
        start += length + 1
      }
    }
  }
}

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
