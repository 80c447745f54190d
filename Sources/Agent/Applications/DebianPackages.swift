import Glibc

/// What dpkg knows of installed packages, read from its files; nothing on a machine without dpkg.
public struct DebianPackages: Sendable {
  /// The folder of dpkg's files.
  let folder: String
  /// The packages that are looked at.
  private static let mostPackages = 20_000
  private static let mostListBytes = 32 << 20
  private static let mostStatusBytes = 64 << 20

  /// Creates the view of a folder such as `/var/lib/dpkg`.
  public init(folder: String) { self.folder = folder }

  /// Returns the packages that own files.
  public func owners(of paths: Set<String>) -> [String: String] {
    guard !paths.isEmpty else { return [:] }
    var wanted: [[UInt8]: String] = [:]
    for path in paths {
      wanted[Array(path.utf8)] = path
      // Where /bin is a link to /usr/bin, packages may still name the former.
      if path.hasPrefix("/usr/bin/") || path.hasPrefix("/usr/sbin/") { wanted[Array(path.utf8.dropFirst(4))] = path }
    }
    let folders = Set(wanted.keys.map { Array($0[..<($0.lastIndex(of: Self.slash) ?? 0)]) })
    var owners: [String: String] = [:]
    for name in BoundedFile.names(in: folder + "/info", most: Self.mostPackages * 8) where name.hasSuffix(".list") {
      guard owners.count < paths.count else { break }
      guard let bytes = BoundedFile.bytes("\(folder)/info/\(name)", most: Self.mostListBytes) else { continue }
      // Such as “libc6:amd64.list”.
      let package = String(name.dropLast(5).prefix { $0 != ":" })
      Self.lines(of: bytes) { line in
        guard let slash = line.lastIndex(of: Self.slash), folders.contains(where: { line[..<slash].elementsEqual($0) }),
          let path = wanted[Array(line)], owners[path] == nil
        else { return }
        owners[path] = package
      }
    }
    return owners
  }

  /// Returns the versions of installed packages.
  public func versions(of packages: Set<String>) -> [String: String] {
    guard !packages.isEmpty, let bytes = BoundedFile.bytes(folder + "/status", most: Self.mostStatusBytes) else {
      return [:]
    }
    var versions: [String: String] = [:]
    var (package, isInstalled) = (String?.none, false)
    Self.lines(of: bytes) { line in
      if line.isEmpty { (package, isInstalled) = (nil, false) }
      if let value = Self.value("Package: ", line) { package = packages.contains(value) ? value : nil }
      guard let name = package else { return }
      if let value = Self.value("Status: ", line) { isInstalled = value.hasSuffix(" installed") }
      if let value = Self.value("Version: ", line), isInstalled { versions[name] = value }
    }
    return versions
  }

  private static let slash = UInt8(ascii: "/")

  private static func value(_ key: String, _ line: UnsafeRawBufferPointer.SubSequence) -> String? {
    guard line.first == key.utf8.first, line.starts(with: key.utf8) else { return nil }
    return String(decoding: line.dropFirst(key.utf8.count), as: UTF8.self)
  }

  private static func lines(of bytes: [UInt8], _ visit: (UnsafeRawBufferPointer.SubSequence) -> Void) {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      var start = 0
      while start < buffer.count {
        let end = memchr(base + start, 0x0A, buffer.count - start).map { UnsafeRawPointer($0) - base } ?? buffer.count
        visit(buffer[start..<end])
        start = end + 1
      }
    }
  }
}
