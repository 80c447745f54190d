import ArgumentParser
import LatchkeyModel

/// Reads an application's ID from the command line.
enum AppArgument {
  /// Check an ID.
  ///
  /// - Throws: `ValidationError` for one that no application can have.
  @Sendable static func read(_ text: String) throws -> AppID {
    guard let id = AppID(text) else {
      throw ValidationError(
        "An application's ID has 1 to \(Limits.appIDBytes) bytes without spaces, such as org.gnome.Chess.")
    }
    return id
  }
}
