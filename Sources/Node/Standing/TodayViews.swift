import LatchkeyModel

/// A child's day so far, as the local API shows it: what was used, what runs, and what is left.
public struct ChildToday: Hashable, Sendable, Codable {
  public var childID: ChildID
  public var name: DeviceName
  /// The family's day, such as `2026-11-21`.
  public var day: String
  /// The IANA name of the family's zone.
  public var zone: String
  /// The time for which this was worked out, Unix milliseconds.
  public var at: Int64
  /// The time for which anything was in use today, on all machines as far as known here, in
  /// milliseconds.
  public var usedMilliseconds: Int64
  /// The same since Monday.
  public var weekMilliseconds: Int64
  /// The screen time of the day with what was granted for it, in milliseconds; `nil` without a
  /// limit.
  public var limitMilliseconds: Int64?
  /// The use of each category today, in milliseconds; categories without use are left out.
  public var categories: [CategoryToday]
  /// The applications that were used today, that run, or that have rules.
  public var apps: [AppToday]
  public var running: [RunningNow]
  /// What holds for all screen time, whatever the application.
  public var screen: VerdictToday
  /// What a person should know now, one sentence each, such as that little time is left.
  public var notices: [Phrase]
  /// How far the child's machines hold to rules.
  public var enforcement: Enforcement
  /// The milli-points that are left to spend; `nil` if the family uses no points.
  public var milliPoints: Int64?
  /// The redeemed time that is left, in milliseconds; `nil` if rewards are not paid with it.
  public var redeemedMilliseconds: Int64?
}

/// The use of one category on a day.
public struct CategoryToday: Hashable, Sendable, Codable {
  public var category: AppCategory
  /// The time for which anything of it was in use, in milliseconds.
  public var usedMilliseconds: Int64
}

/// What the rules say of something now.
public struct VerdictToday: Hashable, Sendable, Codable {
  /// A Boolean value that indicates whether the rules allow it.
  public var isAllowed: Bool
  /// The word for the rule that closes it, now or at `until`; `nil` if none does before the end of
  /// the next day.
  public var rule: String?
  /// The same in words, such as "2 h a day are used"; `nil` without a rule.
  public var reason: Phrase?
  /// If allowed, when it closes; if not, when it may open again; Unix milliseconds; `nil` if that
  /// is not in sight.
  public var until: Int64?
  public var leftMilliseconds: Int64?
}

extension VerdictToday {
  /// Creates the verdict on what is closed as a program that no rule names, whatever its own rules
  /// say.
  init(closedBecause words: Phrase) {
    self.init(isAllowed: false, reason: words)
  }

  /// A Boolean value that indicates whether the reason says as well what is open all the same: a
  /// time behind it would seem to be that of the exception.
  package var hasException: Bool { reason?.text.hasPrefix("{reason}, but ") ?? false }
}

/// One application on a child's day.
public struct AppToday: Hashable, Sendable, Codable {
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
  /// The time for which it was in use today, in milliseconds.
  public var usedMilliseconds: Int64
  /// What the rules say of it now.
  public var verdict: VerdictToday
  /// A Boolean value that indicates whether the rules do not allow it, and no machine of the
  /// child's closes it.
  public var isLeftOpen = false
  /// A Boolean value that indicates whether the rules do not allow it, and a machine of the child's
  /// leaves it open, at least in some folders.
  public var isPartlyOpen = false
}

extension AppToday {
  /// Returns words that say that the rules do not allow it, with what machines do otherwise.
  package func excepting(_ words: Phrase) -> Phrase {
    let arguments: [String: Phrase.Argument] = ["reason": .phrase(words)]
    return switch (isLeftOpen, isPartlyOpen, appID.isOfMany) {
    case (true, _, false): Phrase("{reason}, but nothing closes it", arguments)
    case (true, _, true): Phrase("{reason}, but nothing closes them", arguments)
    case (false, true, false): Phrase("{reason}, but it is not closed everywhere", arguments)
    case (false, true, true): Phrase("{reason}, but they are not closed everywhere", arguments)
    case (false, false, _): words
    }
  }

  /// What to add to an English sentence that says that the rules do not allow it; empty if all
  /// machines close it.
  package var exception: String { excepting(Phrase(verbatim: "")).worded() }

  /// Notes what machines do about it.
  mutating func note(_ closing: MachineClosing) {
    (isLeftOpen, isPartlyOpen) = (closing.isLeftOpen, closing.isPartlyOpen)
    if let words = closing.closedWords { verdict = VerdictToday(closedBecause: words) }
  }
}

/// Why an application may run or may not: every rule that was considered.
package struct ChildExplanation: Hashable, Sendable, Codable {
  /// A rule and what it says.
  package struct Rule: Hashable, Sendable, Codable {
    package var rule: String
    package var words: String
    /// The same as a phrase.
    package var phrase: Phrase?
    /// A Boolean value that indicates whether the rule allows the application.
    package var isOpen: Bool
    /// How long this holds, in milliseconds; `nil` for longer than to the end of the next day.
    package var leftMilliseconds: Int64?

    /// The words as a phrase, which is in English alone if there is none.
    package var said: Phrase { phrase ?? Phrase(verbatim: words) }
  }

  /// What the commands depend on with which a parent lets the application run.
  package struct Opening: Hashable, Sendable, Codable {
    /// The family day of the moment, such as `2026-11-21`.
    package var day: String
    /// The present family day.
    package var today: String
    /// The hour at which the family's day begins.
    package var dayStartHour: Int
    /// The fewest minutes of time for all that open the limits which close it; `nil` if none
    /// closes it, or if no grant opens them.
    package var missingMinutes: Int?
    /// The category that it has once its rules count; `nil` if they count already.
    package var enabledCategory: AppCategory?
    /// A Boolean value that indicates whether breaks are set for the child alone.
    package var hasOwnBreaks: Bool
    /// A Boolean value that indicates whether breaks are set for the whole family.
    package var hasFamilysBreaks: Bool
    /// A Boolean value that indicates whether a file of the child's own was refused as it, which
    /// `latchkey apps allow` allows.
    package var isRefused = false
    /// A Boolean value that indicates whether it is closed although its rules allow it, because
    /// nothing is recognized as it.
    package var isUnrecognized = false
    /// A Boolean value that indicates whether only a menu entry may tell which program it is, which
    /// may be one of the child's own.
    package var mayBeOwn = false
  }

  package var name: DeviceName
  package var app: AppToday
  /// The time for which this was worked out, Unix milliseconds.
  package var at: Int64
  /// The IANA name of the family's zone.
  package var zone: String
  /// The rules that were considered, in their order.
  package var rules: [Rule]
  package var opening: Opening
  /// How far the child's machines hold to rules.
  package var enforcement: Enforcement
  /// Why it runs on although the rules do not allow it, one sentence for each machine on which it
  /// does.
  package var leftOpen: [String] = []
  /// Who is there in each account that the child shares, as far as known, and what holds there
  /// meanwhile, one sentence each.
  package var shared: [String] = []
}

/// A child's use by day, week or month, as the local API shows it.
package struct UseReport: Hashable, Sendable, Codable {
  /// The use of one application in one period.
  package struct Row: Hashable, Sendable, Codable {
    package var appID: AppID
    package var displayName: String
    package var category: AppCategory
    /// The time of use in milliseconds, each instant once.
    package var milliseconds: Int64
    package var earnedMilliPoints: Int64
    /// The sessions that began in the period.
    package var sessions: Int64
  }

  /// The use in one period.
  package struct Period: Hashable, Sendable, Codable {
    /// The first day, such as `2026-11-16`.
    package var start: String
    /// The child's time of use in milliseconds, each instant once.
    package var milliseconds: Int64
    /// The time of use of each category that has any, each instant once.
    package var categories: [CategoryToday]
    /// The applications, the longest use first.
    package var rows: [Row]
  }

  package var childID: ChildID
  package var name: DeviceName
  /// The length of a period: `day`, `week` or `month`.
  package var period: String
  /// The first day of the report, such as `2026-11-01`.
  package var from: String
  package var to: String
  /// The periods with use, newest first.
  package var periods: [Period]
}

/// Something that a child is told at once, such as that a program closes soon.
package struct ChildNotice: Hashable, Sendable, Codable {
  /// What a child is told of.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A program closes soon.
    case warned
    /// A program was closed or paused.
    case closed
    /// A parent said yes to a request.
    case approved
    /// A parent said no to a request.
    case denied
    /// A parent took time away.
    case lessTime
  }

  /// The key of notices about programs that are no known application.
  package static let unknownKey = "unknown"

  /// Its number, which grows with each notice of the machine during a boot.
  package var number: Int
  /// What it is about: a notice takes the place of earlier ones with the same key.
  package var key: String
  package var kind: Kind
  package var sentence: Phrase
  /// When it happened, on the boot clock of the child's machine.
  package var at: BootInstant
}

extension ChildToday {
  /// The day without what changes by the passing of time alone, rounded to minutes.
  package var withoutTime: ChildToday {
    var today = self
    today.at = 0
    today.usedMilliseconds /= 60_000
    today.weekMilliseconds /= 60_000
    for index in today.categories.indices { today.categories[index].usedMilliseconds /= 60_000 }
    for index in today.apps.indices {
      today.apps[index].usedMilliseconds /= 60_000
      today.apps[index].verdict.forgetTime()
    }
    today.screen.forgetTime()
    today.milliPoints = today.milliPoints.map { $0 / 1_000 }
    today.redeemedMilliseconds = today.redeemedMilliseconds.map { $0 / 60_000 }
    for index in today.running.indices { today.running[index].activeMilliseconds /= 60_000 }
    return today
  }
}

extension VerdictToday {
  fileprivate mutating func forgetTime() {
    until = nil
    leftMilliseconds = leftMilliseconds.map { $0 / 60_000 }
  }
}
