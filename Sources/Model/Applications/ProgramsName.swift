/// The names of what stands for many programs: those without a rule of their own, and unknown ones.
public enum ProgramsName {
  /// Returns the phrase of such a name, or a phrase of any other name.
  public static func phrase(_ name: String) -> Phrase {
    switch name {
    case "Other programs": Phrase("Other programs")
    case "Unknown programs": Phrase("Unknown programs")
    default: Phrase(verbatim: name)
    }
  }
}
