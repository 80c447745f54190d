/// Why a node could not be made or run.
public struct LocalNodeFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault and the next step.
  public var sentence: String
  /// One of sysexits.h, 64 to 78.
  public var exitStatus: Int32

  public init(sentence: String, exitStatus: Int32) {
    self.sentence = sentence
    self.exitStatus = exitStatus
  }

  public var description: String { sentence }
}
