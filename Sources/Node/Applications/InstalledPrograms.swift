import LatchkeyModel
import LatchkeyRules

/// The applications of a machine, by what recognizes their programs.
struct InstalledPrograms {
  /// Those that are installed for all accounts.
  private(set) var machines: [AppMatcher: AppID] = [:]
  /// Those that only entries of an account's own name.
  private var owns: [AppMatcher: AppID] = [:]
  let names: [AppID: String]

  init(_ found: [AppID: InstalledMatchers], _ list: [InstalledApp]) {
    for (app, known) in found.sorted(by: { $0.key < $1.key }) where !app.isOfMany {
      for matcher in known.matchers {
        if known.isOwn {
          if owns[matcher] == nil { owns[matcher] = app }
        } else if machines[matcher] == nil {
          machines[matcher] = app
        }
      }
    }
    names = Dictionary(list.map { ($0.appID, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the applications that accounts' own menu entries make of a program.
  func own(_ matchers: [AppMatcher]) -> [AppID] { matchers.compactMap { owns[$0] } }
}

extension RefusedProgram {
  /// What recognizes a file of an account's own: its content, if it is known, and its path.
  var matchers: [AppMatcher] {
    let path = file.map { AppMatcher(kind: .path, value: $0) }
    guard case .matcher(let matcher) = target, matcher != path else { return [path].compactMap(\.self) }
    return [matcher] + [path].compactMap(\.self)
  }
}

extension RuleSet {
  /// Returns the application whose rules name a program by the last part of its path; `nil` for
  /// none.
  ///
  /// A child can give any program a name, so that such a rule alone lets nothing of the child's
  /// run.
  func named(_ matchers: [AppMatcher]) -> AppID? {
    guard let path = matchers.first(where: { $0.kind == .path })?.value, let name = path.split(separator: "/").last
    else { return nil }
    let matcher = AppMatcher(kind: .name, value: String(name))
    return apps.filter { $0.value.isEnabled && $0.value.matchers.contains(matcher) }.keys.min()
  }
}
