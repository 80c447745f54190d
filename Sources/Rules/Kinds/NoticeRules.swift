import LatchkeyModel

/// What a family's parents are told, and when.
public struct NoticeChoice: Hashable, Sendable {
  /// A child asks for something.
  public var requests = true
  /// A child has used up a limit.
  public var limits = true
  /// A child's machine is silent, or there again.
  public var machines = true
  /// Rules are weakened, or not in force.
  public var rules = true
  /// Another parent's machine has joined.
  public var parents = true
  /// Learning waits for a review.
  public var reviews = true
  /// When nothing is told; `nil` for never.
  public var quiet: WeekWindows?

  /// Creates the choice of a family that has made none.
  public init() {}

  /// Returns the end of the quiet hours that contain a time, both in Unix milliseconds; `nil`
  /// outside of them.
  public func quietEnd(at time: Int64, on day: FamilyDay, _ boundary: DayBoundary) -> Int64? {
    quiet.map { Intervals($0, exceptions: { _ in nil }, around: day, boundary) }?.end(at: time)
  }
}

/// The kinds of rules about what parents are told.
///
/// Spec: Protocol/11-rules.md §1.
public enum NoticeRule {
  private typealias Path = WritableKeyPath<RuleSet, Bool> & Sendable

  public static let requests = told("requests", \RuleSet.notices.requests, name: "notices of requests")
  public static let limits = told("limits", \RuleSet.notices.limits, name: "notices of limits that are used up")
  public static let machines = told("machines", \RuleSet.notices.machines, name: "notices of silent machines")
  public static let rules = told("rules", \RuleSet.notices.rules, name: "notices of rules that are weakened")
  public static let parents = told("parents", \RuleSet.notices.parents, name: "notices of other parents")
  public static let reviews = told("reviews", \RuleSet.notices.reviews, name: "notices of learning to review")
  public static let quiet = RuleKind(
    "family/notices/quiet", \RuleSet.notices.quiet, .windows(), zones: .family, name: "quiet hours of notices",
    removed: "no quiet hours of notices")

  private static func told(_ end: String, _ path: any Path, name: String) -> RuleKind<RuleSet, Bool> {
    RuleKind("family/notices/\(end)", path, .onOff, zones: .family, name: name, set: { _ in "\(name) are =" })
  }

  static let rows = [requests.row, limits.row, machines.row, rules.row, parents.row, reviews.row, quiet.row]
}
