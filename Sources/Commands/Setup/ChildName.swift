import LatchkeyModel

/// The name of a child as a person gives it.
enum ChildName {
  /// Returns the name in a text.
  ///
  /// Throws `DeviceNameError`, or `TerminalFailure` for several names, which commas separate.
  static func read(_ text: String) throws -> DeviceName {
    let name = try DeviceName(text)
    guard !name.text.contains(",") else {
      throw TerminalFailure(
        .usage, "A child's name has no comma, which separates names: give one name with each --child.")
    }
    return name
  }
}
