/// A program that a child's machine has closed because no parent has listed it.
///
/// Spec: Protocol/11-rules.md §5, Protocol/06-messages.md §10.
public struct RefusedProgram: Hashable, Sendable, InventoryEntry {
  /// The value that a parent lists so that the program may run.
  public enum Target: Hashable, Sendable {
    /// An application that has rules or is installed for all accounts.
    case app(AppID)
    /// A matcher of a program that is no such application.
    case matcher(AppMatcher)
  }

  /// The largest number of programs that a machine keeps and reports for an account.
  public static let most = 32
  /// The largest number of bytes of a matcher's value.
  public static let matcherBytes = 700
  /// The largest number of bytes of the whole text.
  static let textBytes = 992
  /// The time for which a machine keeps a program, in milliseconds.
  public static let keptMilliseconds: Int64 = 7 * 86_400_000

  /// The number of the account in which it was started.
  public var account: UInt32
  public var target: Target
  /// The name for people, a *line* of 1 to 255 bytes.
  public var name: String
  /// The time of the last refusal, in milliseconds of household time.
  public var refusedAt: Int64
  /// The application as which a matcher's program counts; `nil` for none, and with `.app`.
  public var app: AppID?
  /// The path of the program's file if the account can replace it; `nil` for any other program.
  public var file: String?

  public init(account: UInt32, target: Target, name: String, refusedAt: Int64, app: AppID? = nil, file: String? = nil) {
    (self.account, self.target, self.name) = (account, target, name)
    (self.refusedAt, self.app, self.file) = (refusedAt, app, file)
  }

  /// A Boolean value that indicates whether its matcher is the path of a file that the child can
  /// replace.
  public var isReplaceable: Bool {
    guard case .matcher(let matcher) = target, let file else { return false }
    return matcher == AppMatcher(kind: .path, value: file)
  }

  public var fault: String? {
    switch target {
    case .app(let id):
      if id.isOfMany || app != nil || file != nil { return "A program that was refused is one application." }
    case .matcher(let matcher):
      if let fault = TextRule.matcherValue.fault(in: matcher.value) { return fault }
      if matcher.value.utf8.count > Self.matcherBytes {
        return "The matcher of a program that was refused has at most \(Self.matcherBytes) bytes."
      }
    }
    if app?.isOfMany == true { return "A program that was refused is one application." }
    if let file, let fault = TextRule.matcherValue.fault(in: file) { return fault }
    if text.utf8.count > Self.textBytes {
      return "The text of a program that was refused has at most \(Self.textBytes) bytes."
    }
    guard (0..<HybridTimestamp.wallLimit).contains(refusedAt) else { return "The time of a refusal is out of range." }
    return TextRule.displayName.fault(in: name)
  }

  /// Returns programs in the order of the list that a machine reports: the first of each account,
  /// then the second of each, and so on.
  ///
  /// So an account that starts many programs does not displace those of another account.
  package static func inTurn(_ programs: [RefusedProgram]) -> [RefusedProgram] {
    var counts: [UInt32: Int] = [:]
    let turns = programs.enumerated().map { place, program in
      counts[program.account, default: 0] += 1
      return (turn: counts[program.account] ?? 0, place: place)
    }
    return turns.sorted { $0 < $1 }.map { programs[$0.place] }
  }

  package static let inventory = InventoryKind(name: "refused", most: most, about: .application)

  package var lines: [String] {
    let target =
      switch target {
      case .app(let id): id.text
      case .matcher(let matcher): matcher.text
      }
    // A program that is not a file of the account has only the first three lines.
    let more = app == nil && file == nil ? [] : [app?.text ?? "", file ?? ""]
    return ["\(account) \(target)", name, String(refusedAt)] + more
  }

  package init?(lines: [String]) {
    guard lines.count == 3 || lines.count == 5, let space = lines[0].firstIndex(of: " "),
      let account = UInt32(lines[0][..<space]), let time = Int64(lines[2])
    else { return nil }
    // An application's ID has no space, and a matcher has one after its kind.
    let text = String(lines[0][lines[0].index(after: space)...])
    guard let target = AppMatcher(text: text).map(Target.matcher) ?? AppID(text).map(Target.app) else { return nil }
    let more = lines.dropFirst(3).map { $0.isEmpty ? nil : $0 }
    let app = (more.first ?? nil).map { AppID($0) }
    if case .some(.none) = app { return nil }
    self.init(
      account: account, target: target, name: lines[1], refusedAt: time, app: app ?? nil, file: more.last ?? nil)
  }
}
