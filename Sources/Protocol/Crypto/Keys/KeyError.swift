/// The reasons why the bytes of a key are invalid.
public enum KeyError: Error, Equatable, Sendable {
  /// A key or seed does not have the size of its type.
  ///
  /// Sizes are in bytes.
  case wrongLength(expected: Int, actual: Int)
  /// A public key lies in a small subgroup, so that any secret agreed with it would be public.
  case lowOrderPoint
}

extension KeyError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .wrongLength(let expected, let actual):
      "The key is \(actual) bytes long instead of \(expected); copy it again in full."
    case .lowOrderPoint:
      "The public key is one of the few that make every secret public; ask its owner for a new one."
    }
  }
}
