import LatchkeyModel
import LatchkeyNode

/// A child's day in words.
enum TodayText {
  /// Returns a child's day in one line, such as "Emma 1 h 12 min of 2 h · 48 min left, until
  /// 19:20".
  static func line(_ day: ChildToday) -> String {
    let used = SpanText.minutes(Int(clamping: day.usedMilliseconds / 60_000))
    let limit = day.limitMilliseconds.map { " of \(SpanText.minutes(Int(clamping: $0 / 60_000)))" } ?? " today"
    var parts = ["\(ShownText.safe(day.name.text)) \(used)\(limit)"]
    if let rest = breakWords(day) {
      if let limit = day.limitMilliseconds, limit > day.usedMilliseconds {
        parts.append("\(left(limit - day.usedMilliseconds)) left")
      }
      parts.append(rest)
    } else if day.screen.rule != nil {
      parts.append(words(day.screen, day))
    }
    for session in day.running {
      let silence = session.isStale ? " (not heard of lately)" : ""
      parts.append(
        "\(ShownText.safe(session.displayName)) on \(ShownText.safe(session.deviceName.text)) since "
          + clock(session.since, day) + silence)
    }
    return parts.joined(separator: " · ")
  }

  /// Returns when the next break is, such as "break in 20 min, at 14:20"; `nil` if none comes
  /// before the time is over otherwise, or one goes on.
  private static func breakWords(_ day: ChildToday) -> String? {
    guard day.screen.isAllowed, day.screen.rule == "breaks", let left = day.screen.leftMilliseconds else { return nil }
    return "break in \(Self.left(left))" + (day.screen.until.map { ", at \(clock($0, day))" } ?? "")
  }

  /// Returns a verdict in words, such as "48 min left, until 19:20" or "not allowed: bedtime, until
  /// 07:00".
  static func words(_ verdict: VerdictToday, _ day: ChildToday) -> String {
    words(verdict, at: day.at, zone: day.zone)
  }

  /// Returns the same at a time in Unix milliseconds, on the clock of a zone.
  static func words(_ verdict: VerdictToday, at now: Int64, zone: String) -> String {
    let until = verdict.until.map { ", until \(clock($0, at: now, zone: zone))" } ?? ""
    guard verdict.isAllowed else { return "not allowed: \(ShownText.safe(verdict.reason ?? "a rule"))\(until)" }
    guard let left = verdict.leftMilliseconds else { return "allowed" }
    return "\(Self.left(left)) left\(until)"
  }

  /// Returns a sentence about what keeps a child from using any time now; `nil` if nothing does.
  static func obstacle(_ day: ChildToday) -> String? {
    guard !day.screen.isAllowed else { return nil }
    let until = day.screen.until.map { ", until \(clock($0, day))" } ?? ""
    return
      "\(ShownText.safe(day.name.text)) still has to wait: \(ShownText.safe(day.screen.reason ?? "a rule"))\(until)."
  }

  /// Returns what is left to pay rewards with, one sentence each; nothing where the family uses no
  /// points.
  static func points(_ day: ChildToday) -> [String] {
    guard let milliPoints = day.milliPoints else { return [] }
    let left = milliPoints > 0 ? PointsText.counted(milliPoints) : "No points"
    let verb = milliPoints == 1_000 ? "is" : "are"
    guard let redeemed = day.redeemedMilliseconds else { return ["\(left) \(verb) left."] }
    let time =
      redeemed > 0 ? "\(Self.left(redeemed)) of redeemed time is left." : "No redeemed time is left on this machine."
    return [time, "\(left) \(verb) left to redeem."]
  }

  /// Returns the milliseconds that are left in words, in whole minutes.
  static func left(_ milliseconds: Int64) -> String { SpanText.left(milliseconds) }

  /// Returns the applications of a day as a table.
  static func table(_ day: ChildToday) -> String {
    TableText.render(
      ["Application", "Category", "Used", "Now", "Why"], numbers: [2], spare: [1], wrap: [0, 3, 4],
      rows: day.apps.map { app in
        [
          app.displayName, app.category.rawValue,
          app.usedMilliseconds == 0 ? "–" : SpanText.minutes(Int(clamping: app.usedMilliseconds / 60_000)),
          app.verdict.isAllowed
            ? words(app.verdict, day)
            : app.isLeftOpen
              ? "not closed"
              : (app.isPartlyOpen ? "not closed everywhere" : "not allowed")
                + (app.verdict.until.map { ", until \(clock($0, day))" } ?? ""),
          (app.verdict.reason ?? "") + app.exception,
        ]
      }, empty: "Nothing was used today.")
  }

  /// Returns a time on the family's clock: the time of day or, on another date than the day's, that
  /// as well.
  static func clock(_ milliseconds: Int64, _ day: ChildToday) -> String {
    clock(milliseconds, at: day.at, zone: day.zone)
  }

  /// Returns a time on the family's clock, with the date if it is on another one than `now`.
  static func clock(_ milliseconds: Int64, at now: Int64, zone: String) -> String {
    let zone = TimeText.zone(zone)
    let (time, today) = (TimeText.short(milliseconds, zone: zone), TimeText.short(now, zone: zone))
    // What is less than a day away needs no date.
    return time.prefix(10) == today.prefix(10) || abs(milliseconds - now) < 72_000_000 ? String(time.suffix(5)) : time
  }
}
