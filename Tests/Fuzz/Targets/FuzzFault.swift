/// A violation of a rule that must hold for any input.
public struct FuzzFault: Error, CustomStringConvertible {
  /// A description for the replay.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws if a condition that must hold does not hold.
///
/// `what` describes what was found instead.
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFault) {
  if !holds { throw FuzzFault(what()) }
}
