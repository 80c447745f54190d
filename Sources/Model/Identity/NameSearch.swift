/// A search for the device that a person names; the node and the terminal both use it.
///
/// A person can name a device by its name, the name of a child that uses it, its device ID, or an
/// unambiguous prefix of one of them, without regard to case. A complete name outranks a prefix. A
/// device's name and a child's name rank equally, since a child's machine can rename itself and
/// must not take over the name of another one.
///
/// Spec: Protocol/07-local-api.md §3.
public enum DeviceSearch {
  /// The names by which a device can be found.
  public struct Label: Hashable, Sendable {
    public var deviceID: DeviceID
    public var name: DeviceName
    /// The name of the child whose device it is, or several names, separated by `, `.
    public var childName: String?

    public var children: [String] { childName.map { ChildNames.split($0) } ?? [] }
    /// The names of the device and of its children.
    public var names: [DeviceName] { [name] + children.map { DeviceName(sanitising: $0) } }

    public init(deviceID: DeviceID, name: DeviceName, childName: String? = nil) {
      (self.deviceID, self.name, self.childName) = (deviceID, name, childName)
    }

    public init(_ device: RegisteredDevice) {
      self.init(deviceID: device.deviceID, name: device.name, childName: device.childName)
    }
  }

  /// The reason why no device was found.
  public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// No device has this name; the known devices follow.
    case unknown(String, known: [Label])
    case ambiguous(String, fitting: [Label])

    /// A sentence with the fault and the next step.
    public var description: String {
      switch self {
      case .unknown(_, known: []): return "No machine is paired yet: run `latchkey pair` here and on the other machine."
      case .unknown(let text, let known):
        let names = known.flatMap { $0.names.map(\.text) }
        guard !DeviceSearch.word(text).isEmpty else {
          return "No machine is named: give its name, such as --on Emma. `latchkey devices` lists their names."
        }
        let question = Spelling.question(for: text, among: names)
        return "No paired machine is called “\(DeviceName(sanitising: text))”"
          + (question.isEmpty ? ": `latchkey devices` lists their names." : ". \(question)")
      case .ambiguous(let text, let fitting):
        // A name that the person has typed, or that several devices share, does not identify one.
        let names = fitting.prefix(DeviceSearch.named).map { label in
          let whose = label.names.dropFirst().map { "\($0)'s" }.joined(separator: ", ")
          let isUseless =
            fitting.count { $0.name == label.name } > 1 || label.name.text.lowercased() == DeviceSearch.word(text)
          if isUseless { return "\(label.deviceID.short) (“\(label.name)”\(whose.isEmpty ? "" : ", " + whose))" }
          return "“\(label.name)”" + (whose.isEmpty ? "" : " (\(whose))")
        }
        let more = fitting.count > names.count ? " and \(fitting.count - names.count) more" : ""
        return "“\(DeviceName(sanitising: text))” fits \(fitting.count) machines: name one of "
          + names.joined(separator: ", ") + more + "."
      }
    }
  }

  private static let named = 5
  /// The number of symbols in the shortest prefix of a device ID that is accepted.
  private static let leastSymbols = 4

  /// Returns the device that a typed text names; throws the person's fault unless one fits best.
  public static func find<Device>(
    _ text: String, among devices: [Device], label: (Device) -> Label
  ) throws(Fault) -> Device {
    let labelled = devices.map { (device: $0, label: label($0)) }
    if let id = DeviceID(text), let match = labelled.first(where: { $0.label.deviceID == id }) { return match.device }
    for fits in matchers(text) {
      let matches = labelled.filter { fits($0.label) }
      guard let match = matches.first else { continue }
      guard matches.count == 1 else { throw .ambiguous(text, fitting: matches.map(\.label)) }
      return match.device
    }
    throw .unknown(text, known: labelled.map(\.label))
  }

  /// Returns the tests by which a text may match a device, the most exact one first.
  private static func matchers(_ text: String) -> [(Label) -> Bool] {
    let word = word(text)
    guard !word.isEmpty else { return [] }
    let symbols = compact(text)
    return [
      { $0.names.contains { $0.text.lowercased() == word } },
      { $0.names.contains { $0.text.lowercased().hasPrefix(word) } },
      { symbols.count >= leastSymbols && compact($0.deviceID.description).hasPrefix(symbols) },
    ]
  }

  /// Returns what was typed in lower case, without spaces at its ends.
  private static func word(_ text: String) -> String {
    var typed = Substring(text.lowercased())
    while typed.first == " " { typed.removeFirst() }
    while typed.last == " " { typed.removeLast() }
    return String(typed)
  }

  private static func compact(_ text: String) -> String { text.uppercased().filter { $0 != "-" && $0 != " " } }
}

/// The names of the children whose machine it is, as one text.
///
/// Spec: Protocol/10-household.md §1.
public enum ChildNames {
  /// Returns the names in a text in which commas separate them, each once, without regard to case.
  public static func split(_ text: String) -> [String] {
    var seen: Set<String> = []
    return text.split(separator: ",").compactMap { part in
      var name = part
      while name.first?.isWhitespace == true { name.removeFirst() }
      while name.last?.isWhitespace == true { name.removeLast() }
      return !name.isEmpty && seen.insert(name.lowercased()).inserted ? String(name) : nil
    }
  }

  /// Returns names as one text, which is cut to the length of a device's name.
  public static func joined(_ names: [String]) -> String {
    DeviceName(sanitising: names.sorted().joined(separator: ", ")).text
  }
}

/// A search for the application that a person names; the node and the terminal both use it.
///
/// A person can name an application by its ID or its name, without regard to case. If the
/// application is installed, the beginning of either is enough, as long as it fits no other. A
/// complete ID or name takes precedence over a beginning.
///
/// Spec: Protocol/07-local-api.md §3.
public enum AppSearch {
  /// An application that a person may mean.
  public struct Candidate: Hashable, Sendable {
    public var appID: AppID
    public var name: String
    /// A Boolean value that indicates whether a machine has reported the application as installed.
    public var isInstalled: Bool

    public init(appID: AppID, name: String, isInstalled: Bool = false) {
      (self.appID, self.name, self.isInstalled) = (appID, name, isInstalled)
    }
  }

  /// The error that several applications fit a text.
  public struct Ambiguity: Error, Hashable, Sendable, CustomStringConvertible {
    public var text: String
    /// The applications, in the order of their IDs.
    public var fitting: [AppID]

    /// A sentence that states the error and the next step.
    public var description: String {
      let named = fitting.prefix(AppSearch.named).map(\.text)
      let more = fitting.count - named.count
      let last = more > 0 ? " and \(more) more" : ""
      return "“\(DeviceName(sanitising: text))” fits several applications: give the ID of one of "
        + named.joined(separator: ", ") + last + "."
    }
  }

  /// The largest number of applications that the error names.
  private static let named = 5

  /// Returns the application that a typed text names; `nil` for none.
  ///
  /// Unless `isWhole`, the beginning of a name or ID is enough.
  ///
  /// Throws `Ambiguity`, the person's fault, if several applications fit equally well.
  public static func find(
    _ text: String, among candidates: [Candidate], isWhole: Bool = false
  ) throws(Ambiguity) -> AppID? {
    let word = text.lowercased()
    var ways: [(Candidate) -> Bool] = [
      { $0.appID.text == text }, { $0.name == text },
      { $0.appID.text.lowercased() == word || $0.name.lowercased() == word },
    ]
    if !isWhole, !word.isEmpty {
      ways.append { candidate in
        candidate.isInstalled
          && (candidate.appID.text.lowercased().hasPrefix(word) || candidate.name.lowercased().hasPrefix(word))
      }
    }
    for fits in ways {
      // Candidates of several children or machines can be the same application.
      let found = Set(candidates.filter(fits).map(\.appID))
      guard let match = found.first else { continue }
      guard found.count == 1 else { throw Ambiguity(text: text, fitting: found.sorted()) }
      return match
    }
    return nil
  }

  /// Returns a question that suggests what a mistyped text may mean.
  ///
  /// It is empty if nothing is similar.
  public static func question(
    for text: String, among candidates: [Candidate], quote: (String) -> String = { $0 }
  ) -> String {
    var apps: [String: AppID] = [:]
    for candidate in candidates {
      let (id, name) = (candidate.appID.text, candidate.name)
      let words = id.lowercased() == name.lowercased() ? [id] : [id, name]
      for word in words where apps[word] == nil { apps[word] = candidate.appID }
    }
    // An application is suggested once, by whichever of its name and its ID is more similar.
    var named: Set<AppID> = []
    let words = Spelling.suggestions(for: text, among: apps.keys.sorted()).filter { word in
      apps[word].map { named.insert($0).inserted } ?? true
    }
    return Spelling.question(for: text, among: words, quote: quote)
  }
}
