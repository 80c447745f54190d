import LatchkeyModel

/// A pattern for the arguments of a process: `*` stands for any bytes, `?` for any single byte.
///
/// It may match anywhere. A pattern of a Windows program ignores case and the kind of slash. Spec:
/// Protocol/13-agent.md §8.
struct ArgumentPattern: Hashable, Sendable {
  /// The fewest characters of a pattern that are neither `*` nor `?`.
  private static let leastCharacters = 4

  /// The folders of most programs, which do not make a pattern specific.
  private static let folders = [
    "/usr/local/sbin/", "/usr/local/bin/", "/usr/local/games/", "/usr/sbin/", "/usr/bin/", "/usr/games/",
    "/usr/libexec/", "/usr/lib/", "/usr/share/", "/home/", "/var/lib/flatpak/",
  ]

  /// The parts between the stars.
  private let parts: [[UInt8]]
  /// A Boolean value that indicates whether it names a Windows program: by `.exe` or a backslash.
  private let isOfWindows: Bool
  /// The pattern itself if it is the absolute path of a file; otherwise `nil`.
  private let file: String?
  /// A Boolean value that indicates whether it may name a file in a folder.
  private let hasSlash: Bool

  /// Creates a pattern; `nil` if it has too few specific characters.
  init?(_ text: String) {
    let telling = text.split(whereSeparator: { $0 == "*" || $0 == " " }).filter { part in
      !part.contains("/") || !Self.folders.contains { $0.contains(part) }
    }
    guard telling.joined().count(where: { $0 != "?" && $0 != "/" }) >= Self.leastCharacters else { return nil }
    parts = text.utf8.split(separator: 0x2A).map(Array.init)
    isOfWindows = text.contains("\\") || text.lowercased().contains(".exe")
    hasSlash = text.contains { "/\\".contains($0) }
    file = text.hasPrefix("/") && !text.contains { "*?\\".contains($0) } ? text : nil
  }

  /// Returns whether a process shows that it is what the pattern names, so that this may spare it.
  ///
  /// Anything can be among the arguments of a program. What counts is the script that an
  /// interpreter or a shell runs for certain.
  func isShown(by facts: ProcessFacts) -> Bool {
    guard let image = facts.images.first, facts.settledName != nil, !image.isLoader else { return false }
    guard ScriptInterpreters.mayShowScript(image.name) else {
      return file == nil && !hasSlash && matches(facts.arguments)
    }
    if isOfWindows, image.name.hasPrefix("wine"), let program = ProgramNames.windowsProgram(in: facts.arguments) {
      return matches(String(program))
    }
    guard let script = facts.certainScript else { return false }
    if let file { return file == script }
    // Only root can change a script of the system, which decides what its arguments mean.
    return matches("\(image.path) \(script)") || ScriptInterpreters.isOfSystem(script) && matches(facts.arguments)
  }

  func matches(_ arguments: String) -> Bool {
    var arguments = arguments
    return arguments.withUTF8 { matches($0) }
  }

  /// Returns whether arguments match, in time proportional to their length in any case.
  func matches(_ arguments: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    for part in parts {
      guard let end = end(of: part, in: arguments, from: place) else { return false }
      place = end
    }
    return true
  }

  /// Returns the bytes that are equivalent in the name of a Windows program.
  private static func alike(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case 0x2F, 0x5C: [0x2F, 0x5C]
    case 0x41...0x5A: [byte, byte + 0x20]
    case 0x61...0x7A: [byte, byte - 0x20]
    default: [byte]
    }
  }

  /// Returns the index after the first occurrence of a part; `nil` if there is none.
  ///
  /// One bit for each byte of the part says whether the text so far ends with the part up to it.
  private func end(of part: [UInt8], in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard text.count - start >= part.count else { return nil }
    let words = (part.count + 63) / 64
    // First the bits of the positions of the 256 byte values, then the bits of the state.
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 257 * words) { bits in
      bits.initialize(repeating: 0)
      let state = 256 * words
      for (index, byte) in part.enumerated() where byte == 0x3F {
        for value in 0..<256 { bits[value * words + index / 64] |= 1 << UInt64(index % 64) }
      }
      for (index, byte) in part.enumerated() {
        for one in isOfWindows ? Self.alike(byte) : [byte] {
          bits[Int(one) * words + index / 64] |= 1 << UInt64(index % 64)
        }
      }
      let last: UInt64 = 1 << UInt64((part.count - 1) % 64)
      for place in start..<text.count {
        let allowed = Int(text[place]) * words
        var carry: UInt64 = 1
        for word in 0..<words {
          let before = bits[state + word]
          bits[state + word] = (before << 1 | carry) & bits[allowed + word]
          carry = before >> 63
        }
        if bits[state + words - 1] & last != 0 { return place + 1 }
      }
      return nil
    }
  }
}

/// The names that recognize programs: a file's name, the name that a process gives itself, and the
/// program in its first argument.
///
/// Wine shows Windows programs in the first argument. Spec: Protocol/13-agent.md §8.
struct ProgramNames: Sendable {
  /// The number of bytes of a name that the kernel keeps.
  private static let keptBytes = 15

  private var whole: [String: [AppID]] = [:]
  /// The applications with longer names than the kernel keeps, by the part that it keeps.
  private var cut: [String: [AppID]] = [:]
  /// The names of Windows programs, in lower case.
  private var ofWindows: [String: [AppID]] = [:]

  var isEmpty: Bool { whole.isEmpty }

  mutating func add(_ name: String, _ app: AppID) {
    whole[name, default: []].append(app)
    if name.utf8.count > Self.keptBytes {
      cut[String(decoding: name.utf8.prefix(Self.keptBytes), as: UTF8.self), default: []].append(app)
    }
    if name.lowercased().hasSuffix(".exe") { ofWindows[name.lowercased(), default: []].append(app) }
  }

  /// Returns the applications that any name of a process stands for.
  func apps(of facts: ProcessFacts) -> [AppID] {
    guard !isEmpty else { return [] }
    var found: [AppID] = []
    for image in facts.images { found += whole[String(image.name)] ?? [] }
    found += whole[facts.name] ?? []
    if facts.name.utf8.count == Self.keptBytes { found += cut[facts.name] ?? [] }
    guard let argument = Self.program(in: facts.arguments) else { return found }
    found += whole[argument] ?? []
    if !ofWindows.isEmpty { found += ofWindows[argument.lowercased()] ?? [] }
    return found
  }

  /// Returns the last part of the first argument, divided at slashes of either kind; `nil` without
  /// arguments.
  ///
  /// Arguments are joined by spaces, and a Windows path may contain some: it ends at its `.exe`.
  private static func program(in arguments: String) -> String? {
    guard !arguments.isEmpty else { return nil }
    let path = windowsProgram(in: arguments) ?? arguments.prefix { $0 != " " }
    return path.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
  }

  /// Returns the first argument if it is the path of a Windows program, and `nil` otherwise.
  fileprivate static func windowsProgram(in arguments: String) -> Substring? {
    let first = arguments.prefix { $0 != " " }
    // A beginning like that of a Windows path, such as `C:\\`.
    guard first.dropFirst().hasPrefix(":\\") || first.dropFirst().hasPrefix(":/") else { return nil }
    let lowercased = arguments.lowercased()
    return lowercased.firstRange(of: ".exe").map {
      arguments.prefix(lowercased.distance(from: lowercased.startIndex, to: $0.upperBound))
    } ?? first
  }
}
