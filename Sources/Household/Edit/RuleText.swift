import LatchkeyModel
import LatchkeyRules

/// The words in which people read the rules of a child.
public enum RuleText {
  /// Returns what a rule is called, such as "screen time a day".
  public static func name(_ key: RegisterKey) -> String {
    guard let rule = RuleKey(key) else { return key.text }
    switch rule {
    case .name: return "name"
    case .removed: return "removed"
    case .app(let id, let part): return "\(id): \(Self.name(part))"
    case .category(let category, .limit): return "\(category.rawValue) a day"
    case .category(let category, .weekly): return "\(category.rawValue) a week"
    case .category(let category, .rate): return "points for \(category.rawValue)"
    case .limits(.daily): return "screen time a day"
    case .limits(.weekly): return "screen time a week"
    case .schedule(.bedtime): return "bedtime"
    case .schedule(.school): return "school time"
    case .schedule(.rewardTimes): return "reward times"
    case .today(let day, .bedtime): return "bedtime on \(day)"
    case .today(let day, .school): return "school time on \(day)"
    case .today(let day, .rewardTimes): return "reward times on \(day)"
    case .today(let day, .grant): return "more time on \(day)"
    case .lock: return "lock"
    case .mode: return "points"
    case .unknownPrograms: return "unknown programs"
    case .points(let part): return "points, \(part.rawValue)"
    case .family(.zone): return "time zone"
    case .family(.dayStart): return "day starts at"
    }
  }

  private static func name(_ part: RuleKey.App) -> String {
    switch part {
    case .name, .category, .blocked: part.rawValue
    case .enabled: "rules in force"
    case .allowed: "always allowed"
    case .limit: "limit a day"
    case .matchers: "recognized by"
    }
  }

  /// Returns a rule's value in words, such as "2 h" or "Mon-Fri 20:00-07:00".
  public static func value(_ key: RegisterKey, _ value: String) -> String {
    guard let known = RuleKey(key), let rule = try? Rule(known, stored: value) else { return value }
    switch rule.value {
    case .limits(let limits): return limitText(limits)
    case .use(let use): return useText(use)
    case .matchers(let matchers): return matchers.map { "\($0.kind.rawValue) \($0.value)" }.joined(separator: ", ")
    case .grant(let grant): return SpanText.minutes(grant.minutes) + scopeText(grant.scope)
    case .number(let minutes):
      switch known {
      case .category(_, .weekly), .limits(.weekly), .points(.minimumSession):
        return SpanText.minutes(Int(clamping: minutes))
      case .category(_, .rate): return "\(PointsText.counted(minutes)) a minute"
      case .family(.dayStart): return "\(minutes):00"
      default: return value
      }
    case .lock(.on): return "locked"
    case .lock(.off): return "not locked"
    case .lock(.until):
      return value.replacing("until ", with: "locked until ").replacing("T", with: " ")
        .replacing("Z", with: " UTC")
    default: return value
    }
  }

  private static func useText(_ use: AppUse) -> String {
    use.category.rawValue + (use.milliPointsPerMinute.map { ", \(PointsText.counted($0)) a minute" } ?? "")
  }

  private static func scopeText(_ scope: GrantScope) -> String {
    switch scope {
    case .all: ""
    case .category(let category): " for \(category.rawValue)"
    case .app(let app): " for \(app)"
    }
  }

  private static func limitText(_ limits: DayLimits) -> String {
    let parts = limits.text.split(separator: ", ").map { part -> String in
      let words = part.split(separator: " ")
      guard let minutes = words.last.flatMap({ Int($0) }) else { return String(part) }
      return (words.dropLast().map(String.init) + [SpanText.minutes(minutes)]).joined(separator: " ")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns what an edit sets, for a sentence, such as "screen time a day 2 h".
  public static func phrase(_ key: RegisterKey, _ value: String?) -> String {
    guard let value else {
      guard case .app(let app, let part) = RuleKey(key) else { return "no \(name(key))" }
      return "nothing said of \(app): \(name(part))"
    }
    if case .app(let app, let part) = RuleKey(key), let phrase = phrase(app, part, value, key) { return phrase }
    return RuleKey(key) == .lock ? Self.value(key, value) : "\(name(key)) \(Self.value(key, String(value.prefix(200))))"
  }

  /// Returns what an edit sets for an application, such as "org.gnome.Chess blocked"; `nil` for an unknown value.
  private static func phrase(_ app: AppID, _ part: RuleKey.App, _ text: String, _ key: RegisterKey) -> String? {
    guard let known = RuleKey(key), let rule = try? Rule(known, stored: text) else { return nil }
    return switch (part, rule.value) {
    case (.blocked, .flag(let isBlocked)): "\(app) \(isBlocked ? "blocked" : "not blocked")"
    case (.allowed, .flag(let isAllowed)): "\(app) \(isAllowed ? "always allowed" : "not always allowed")"
    case (.enabled, .flag(let isEnabled)): "rules of \(app) switched \(isEnabled ? "on" : "off")"
    case (.category, .use(let use)): "\(app) \(useText(use))"
    case (.limit, .limits(let limits)): "\(app) at most \(limitText(limits)) a day"
    default: nil
    }
  }
}
