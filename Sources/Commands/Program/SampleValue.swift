import LatchkeyRules

/// Values that stand in examples of commands.
enum SampleValue {
  private static let ofOptions = [
    "--after": "45m", "--app": "chess", "--at": "19:30", "--carry-over": "30m", "--category": "reward",
    "--child": "Emma",
    "--daily": "2h", "--daily-limit": "1h", "--daily-points-limit": "60", "--daily-reward-limit": "1h30m",
    "--day": "tomorrow", "--day-start": "4", "--default-points-per-minute": "1", "--for": "1h", "--from": "monday",
    "--grace": "60s", "--hours": "mon-fri 15:00-18:00", "--i-am": "Emma", "--launches": "apart", "--learning": "free",
    "--learning-points-per-minute": "1", "--matcher": "path /usr/games/chess", "--minimum-session": "5m",
    "--minutes-per-point": "3", "--name": "Christmas", "--points": "on", "--points-per-minute": "2",
    "--programs": "listed", "--reason": "rude at dinner", "--redemption-days": "7", "--reward": "mon-fri 16:00-18:00",
    "--reward-points-per-minute": "2", "--rewards": "redeem-first", "--school": "mon-fri 8:00-13:00",
    "--screen-grace": "30m", "--screen-time": "sessions", "--sessions": "lock", "--to": "today", "--today": "1h",
    "--unknown-programs": "block", "--until": "20:00", "--weekends": "3h", "--weekly": "10h", "--weekly-limit": "5h",
    "--weekly-points-limit": "300", "--weekly-reward-limit": "5h", "--when-over": "pause", "--zone": "Europe/Berlin",
  ]

  /// What takes the place of arguments without an option.
  private static let ofArguments = [
    "<application>": ["chess"], "<child-and-time>": ["30m"], "<child>": ["Emma"], "<days>": ["tomorrow"],
    "<group>": ["games"], "<program>": ["chess"], "<times>": ["20:00-07:00"],
  ]

  /// Returns a value of an option of a command; `nil` if none is known.
  static func of(_ option: String, in path: [String]) -> String? {
    switch (path.dropFirst().joined(separator: " "), option) {
    case ("breaks set", "--for"): "10m"
    case ("grant", "--for"): "reward"
    case ("points adjust", "--reason"): "tidied up"
    case ("settings set", "--learning"): "free"
    case ("app set", "--name"): "Chess"
    default: ofOptions[option]
    }
  }

  /// Returns the words in the place of an argument, which a message names as `<times>`.
  static func of(argument: String) -> [String]? { ofArguments[argument] }
}
