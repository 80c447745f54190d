import LatchkeyModel
import LatchkeyNode

/// The ring of the time that is left.
enum TimeRing {
  /// The circle is drawn with a circumference of so many units.
  private static let length = 1_000

  static let template = """
    {{#ring}}
    <svg class="ring" viewBox="0 0 120 120" role="img" aria-label="{{label}}">
    <circle class="rest" cx="60" cy="60" r="52"/>
    {{#isSome}}<circle class="left" cx="60" cy="60" r="52" pathLength="1000" stroke-dasharray="{{part}} 1000" \
    transform="rotate(-90 60 60)"/>{{/isSome}}
    <text x="60" y="66">{{middle}}</text>
    </svg>
    {{/ring}}
    """

  /// Returns the ring of a day: what is left of what there is today.
  static func data(_ day: ChildToday) -> PageData {
    let screen = day.screen
    var (part, middle) = (length, Phrase("free"))
    if !screen.isAllowed {
      (part, middle) = (0, Phrase("closed"))
    } else if let left = screen.leftMilliseconds {
      part = share(left, of: day)
      middle = left < 60_000 ? Phrase("< 1 min") : SpanText.phrase(left: left)
    }
    return ["label": PageWords.figure(screen), "part": part, "isSome": part > 0, "middle": middle]
  }

  private static func share(_ left: Int64, of day: ChildToday) -> Int {
    // Another rule than the limit may end the time, so that less is left than the limit leaves.
    let all = max(day.limitMilliseconds ?? 0, day.usedMilliseconds.addingReportingOverflow(left).partialValue, 1)
    return Int((Double(min(max(left, 0), all)) / Double(all) * Double(length)).rounded())
  }
}

/// The bar of what was used of a day's limit.
enum UseBar {
  static let template = """
    {{#bar}}
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{{label}}">
    <rect class="track" width="100" height="4" rx="1"/><rect class="used" width="{{part}}" height="4" rx="1"/>
    </svg>
    {{/bar}}
    """

  /// Returns the bar of a day; `nil` without a limit.
  static func data(_ day: ChildToday) -> PageData? {
    guard let limit = day.limitMilliseconds, limit > 0 else { return nil }
    let part = Double(min(max(day.usedMilliseconds, 0), limit)) / Double(limit) * 100
    return ["label": PageWords.used(day), "part": Int(part.rounded())]
  }
}
