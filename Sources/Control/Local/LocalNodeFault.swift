/// The reason why a node could not be created or run.
public struct LocalNodeFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault and the next step.
  public var sentence: String
  /// An exit status from sysexits.h, 64 to 78.
  public var exitStatus: Int32

  /// Creates a fault.
  public init(sentence: String, exitStatus: Int32) {
    self.sentence = sentence
    self.exitStatus = exitStatus
  }

  /// The fault and the next step.
  public var description: String { sentence }
}
