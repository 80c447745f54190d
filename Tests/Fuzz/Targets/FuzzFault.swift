/// Something that must never be, whatever the input.
public struct FuzzFault: Error, CustomStringConvertible {
  /// What it is, for whoever replays the input.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throw when something that must hold does not.
///
/// - Parameter what: what was found instead.
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFault) {
  if !holds { throw FuzzFault(what()) }
}
