import ArgumentParser
import LatchkeyModel

/// Arguments that name an application.
enum AppChoice {
  /// Words that people write for every application, of which none is meant.
  private static let everyApp: Set<String> = ["all", "any", "every", "everything"]

  /// Checks that a text can name one application.
  ///
  /// - Throws: `ValidationError` for a text that stands for every application, or that is empty or
  ///   too long.
  static func check(_ text: String) throws {
    if everyApp.contains(text.lowercased()) || text.contains(where: { "*?".contains($0) }) {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no application's name, and rules are set for one application at a time: give "
          + "its ID, such as org.gnome.Chess.")
    }
    if let fault = TextRule.displayName.fault(in: text) { throw ValidationError(fault) }
  }
}
