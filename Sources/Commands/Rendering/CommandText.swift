import LatchkeyModel

/// Commands and what holds after them, in words.
enum CommandText {
  /// What a command asks for.
  static func request(_ payload: CommandPayload) -> String {
    switch payload {
    case .setApp(let app): "set \(app.appID): \(rules(app))"
    case .removeApp(let id, _): "forget \(id)"
    case .setFamilySettings: "set the family's rules"
    case .requestReport: "report"
    case .message(let text): "message “\(ShownText.safe(text))”"
    case .unpair: "leave the household"
    }
  }

  /// An application's rules without its name.
  static func rules(_ app: AppConfiguration) -> String {
    var words = [app.category.rawValue]
    if app.category != .neutral { words.append("\(PointsText.text(app.milliPointsPerMinute)) points a minute") }
    if app.isBlocked { words.append("blocked") }
    if !app.isEnabled { words.append("rules switched off") }
    if let limit = app.dailyLimitMinutes { words.append("at most \(limit) min a day") }
    return words.joined(separator: ", ")
  }

  /// What the child's machine reported to hold, on one line.
  static func inForce(_ state: StateInForce) -> String {
    switch state {
    case .app(let app, let enforcement): "\(app.appID) is now \(rules(app)); \(words(enforcement))"
    case .appRemoved(let id, _): "\(id) has no rules any more"
    case .familySettings(let settings): "the family's rules are now version \(settings.version)"
    case .report(let report):
      "it runs version \(ShownText.safe(report.version)), holds rules for "
        + "\(ShownText.count(report.apps.count + report.omittedApps, "application")) and "
        + "\(ShownText.count(report.usageRecords, "record")) of use; \(words(report.enforcement))"
    case .messageStored: "the message is stored there and shown by `latchkey status`"
    case .unpaired: "it has left the household"
    }
  }

  /// What a machine says that it holds, after "it holds".
  static func held(_ state: StateInForce) -> String {
    switch state {
    case .app(let app, _): "\(rules(app)) for \(app.appID)"
    case .appRemoved(let id, _): "no rules for \(id)"
    case .familySettings(let settings): "these rules of the family: \(rules(settings))"
    case .report, .messageStored, .unpaired: "something that does not belong to this command"
    }
  }

  /// The family's rules on one line.
  static func rules(_ settings: FamilySettings) -> String {
    var words = [
      "\(PointsText.text(settings.defaultMilliPointsPerMinute)) points a minute unless a program has its own rate",
      "a point buys \(ShownText.count(settings.minutesPerPoint, "minute"))",
      "sessions of at least \(settings.minimumSessionMinutes) min",
    ]
    if let limit = settings.dailyRewardLimitMinutes { words.append("at most \(limit) min of reward a day") }
    if let limit = settings.weeklyRewardLimitMinutes { words.append("at most \(limit) min of reward a week") }
    words.append("days from \(settings.dayStartHour):00 on in \(ShownText.safe(settings.zone))")
    return words.joined(separator: ", ")
  }

  /// Say honestly how far a rule is held to.
  static func words(_ enforcement: Enforcement) -> String {
    switch enforcement {
    case .recorded: "recorded there: that version shows rules and closes nothing"
    case .enforced: "enforced there"
    }
  }

  /// How far a command has come, on one line.
  static func progress(_ command: ConfigurationCommand) -> String {
    switch command.status {
    case .queued: "queued here, on its way"
    case .stored: "stored on the other machine, not yet in force"
    case .executed: "executed" + (command.stateInForce.map { ": " + inForce($0) } ?? "")
    case .failed:
      "failed: " + ShownText.safe(command.reason ?? "the other machine gave no reason.")
        + (command.stateInForce.map { " It says that it holds \(held($0))." } ?? "")
    case .expired: "expired before it was executed"
    case .superseded:
      if let state = command.stateInForce {
        "superseded: that machine says that it holds something newer instead, \(held(state))"
      } else {
        "superseded: a newer command for the same thing holds instead"
      }
    case .cancelled: "cancelled before it was stored"
    }
  }
}
