import LatchkeyModel

/// The names by which programs are recognized: of their files, of what they call themselves, and of the program that a first
/// argument names, as Wine shows the programs of Windows.
///
/// Spec: Protocol/13-agent.md §8.
struct ProgramNames: Sendable {
  /// The bytes of a name that the kernel keeps.
  private static let keptBytes = 15

  private var whole: [String: [AppID]] = [:]
  /// The applications whose names are longer than what the kernel keeps, by what it keeps of them.
  private var cut: [String: [AppID]] = [:]
  /// The names of programs of Windows, in lower case.
  private var ofWindows: [String: [AppID]] = [:]

  var isEmpty: Bool { whole.isEmpty }

  mutating func add(_ name: String, _ app: AppID) {
    whole[name, default: []].append(app)
    if name.utf8.count > Self.keptBytes {
      cut[String(decoding: name.utf8.prefix(Self.keptBytes), as: UTF8.self), default: []].append(app)
    }
    if name.lowercased().hasSuffix(".exe") { ofWindows[name.lowercased(), default: []].append(app) }
  }

  /// Returns the applications that one of the names of a process stands for.
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

  /// Returns the last part of the first argument, divided at slashes of either kind; `nil` for no arguments.
  ///
  /// The arguments are joined by spaces: the path of a program of Windows, which may contain some, ends with its `.exe`.
  private static func program(in arguments: String) -> String? {
    guard !arguments.isEmpty else { return nil }
    let first = arguments.prefix { $0 != " " }
    // What begins like a path of Windows, such as `C:\\`.
    let isOfWindows = first.dropFirst().hasPrefix(":\\") || first.dropFirst().hasPrefix(":/")
    let path =
      isOfWindows
      ? arguments.lowercased().firstRange(of: ".exe").map {
        arguments.prefix(arguments.lowercased().distance(from: arguments.lowercased().startIndex, to: $0.upperBound))
      } ?? first : first
    return path.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
  }
}
