import ArgumentParser
import LatchkeyModel
import LatchkeyNode

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

  /// Returns the application ID in a text, whether or not an application has it.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The ID.
  /// - Throws: `ValidationError`, the person's fault, if the text cannot be an ID.
  static func read(_ text: String) throws -> AppID {
    try check(text)
    guard let id = AppID(text) else {
      throw ValidationError(
        "An application's ID has 1 to \(Limits.appIDBytes) bytes without spaces, such as org.gnome.Chess.")
    }
    return id
  }
}

extension KnownApps {
  /// Asks a node for what is installed on a child's machines; without a child, on all machines.
  init(_ apps: [AppListing], of child: ChildID?, at node: any NodeInterface) async throws(LocalAPIError) {
    self.init(apps, of: child, on: try await node.ask(Endpoints.getInstalled, (nil, nil)))
  }
}
