import ArgumentParser
import LatchkeyRules

/// Times of the day or of the week as a person types them.
enum HoursArgument {
  /// Checks times before the node is asked for anything, so that what is wrong is said before
  /// whose they are.
  ///
  /// - Throws: `ValidationError` for what is neither times nor `none`.
  static func check(_ times: String?, inDay: Bool = false) throws {
    guard let typed = times.map(TimesText.typed), typed != "none",
      let fault = inDay ? TimesText.fault(inDay: typed) : TimesText.fault(inWeek: typed)
    else { return }
    throw ValidationError(fault.sentence)
  }
}
