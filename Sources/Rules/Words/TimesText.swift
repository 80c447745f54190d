import LatchkeyModel

/// Times of the week or of a day as people type them.
public enum TimesText {
  /// Returns the change of a rule of times, which `none` removes; without times, no change.
  public static func changes(of key: String, to times: String?) -> [RuleRequest.Change] {
    times.map(typed).map { [.init(key, $0 == "none" ? nil : $0)] } ?? []
  }

  /// Returns times in small letters, with hyphens for dashes.
  public static func typed(_ text: String) -> String {
    text.lowercased().replacing("–", with: "-").replacing(" - ", with: "-")
  }
}
