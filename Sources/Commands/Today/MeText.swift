import LatchkeyModel
import LatchkeyNode

/// What `latchkey me` says beside a child's day.
enum MeText {
  /// Returns a request with what became of it.
  ///
  /// An example: “You asked for 30 min for Chess: no on Kitchen laptop.” `names` are those of
  /// applications that have one.
  static func request(_ request: RequestListing, _ names: [AppID: String]) -> String {
    let wish = RequestText.wish(request, names)
    return switch request.state {
    case .open: "You asked for \(wish): your parents have not answered yet."
    case .expired: "You asked for \(wish): nobody answered, and the day is over."
    case .approved, .denied: "You asked for \(wish): \(RequestText.answer(request))."
    }
  }

  /// Returns why an application is closed, after its name and “is”.
  static func closed(_ verdict: VerdictToday, _ day: ChildToday) -> String {
    verdict.rule == "blocked" ? "blocked" : TodayText.words(verdict, day)
  }

  /// Returns how to get more.
  static func hint(_ day: ChildToday, _ requests: [RequestListing]) -> String {
    var ways: [String] = []
    if day.redeemedMilliseconds != nil, let points = day.milliPoints, points >= 1_000 {
      ways.append("change points into time with `latchkey redeem \(min(10, points / 1_000))`")
    }
    if !requests.contains(where: { $0.state == .open }) { ways.append("ask your parents with `latchkey ask 30m`") }
    let more = ways.isEmpty ? "" : "For more, \(ways.joined(separator: ", or ")). "
    return more + "`latchkey explain --app NAME` shows why one is closed."
  }
}
