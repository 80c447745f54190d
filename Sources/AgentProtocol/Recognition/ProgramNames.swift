import LatchkeyModel

/// The names that recognize programs: a file's name, the name that a process gives itself, and the
/// program in its first argument.
///
/// Wine shows Windows programs in the first argument.
///
/// Spec: Protocol/13-agent.md §8.
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
  /// Arguments are joined by spaces. The path of a Windows program may contain spaces, so it ends
  /// at its `.exe`.
  private static func program(in arguments: String) -> String? {
    guard !arguments.isEmpty else { return nil }
    let path = windowsProgram(in: arguments) ?? arguments.prefix { $0 != " " }
    return path.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
  }

  /// Returns the first argument if it is the path of a Windows program, and `nil` otherwise.
  static func windowsProgram(in arguments: String) -> Substring? {
    let first = arguments.prefix { $0 != " " }
    // A beginning like that of a Windows path, such as `C:\\`.
    guard first.dropFirst().hasPrefix(":\\") || first.dropFirst().hasPrefix(":/") else { return nil }
    let lowercased = arguments.lowercased()
    return lowercased.firstRange(of: ".exe").map {
      arguments.prefix(lowercased.distance(from: lowercased.startIndex, to: $0.upperBound))
    } ?? first
  }
}
