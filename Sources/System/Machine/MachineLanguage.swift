import LatchkeyModel

/// The language that an administrator has set for the machine, in which people read what programs
/// without a language of their own say: the log-in gate and the agent.
public enum MachineLanguage {
  private static let files = ["/etc/default/locale", "/etc/locale.conf"]

  /// Returns the language, or English.
  public static func read() -> Language {
    for file in files {
      if let text = ProcFile.text(file) { return Language.asked(forLocale: text) }
    }
    return .english
  }
}
