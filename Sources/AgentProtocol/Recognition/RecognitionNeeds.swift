/// The facts that only some kinds of matchers need.
///
/// Reading them costs time at every start of a program.
///
/// Spec: Protocol/13-agent.md §8.
public struct RecognitionNeeds: OptionSet, Hashable, Sendable {
  /// The SHA-256 of its files.
  public static let hashes = RecognitionNeeds(rawValue: 1)
  public static let flatpaks = RecognitionNeeds(rawValue: 2)
  public static let arguments = RecognitionNeeds(rawValue: 4)
  /// The arguments of interpreters only, which name what they run.
  public static let scripts = RecognitionNeeds(rawValue: 8)
  public static let all: RecognitionNeeds = [.hashes, .flatpaks, .arguments]

  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
}
