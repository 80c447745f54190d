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

  /// Returns the application that a typed text names, or unless `isWhole` begins; `nil` for none.
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
