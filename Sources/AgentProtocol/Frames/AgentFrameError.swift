/// The fault of a frame between a node and its agent, or of an orders file.
///
/// The connection on which the frame arrived must be closed.
///
/// Spec: Protocol/13-agent.md §2.
public enum AgentFrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes do not begin a frame.
  case foreign
  /// The sender speaks another version.
  case version(UInt8)
  case kind(UInt8)
  /// A body is longer than its kind permits.
  case tooLong(kind: UInt8, bytes: Int)
  /// A body ends before its last field is complete.
  case short
  /// A body goes on after its last field.
  case trailing
  /// A field has an impossible value.
  case value(String)
  /// The checksum of an orders file does not match.
  case damaged

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .foreign: "Another program answers in the place of the agent: end it, then start Latchkey again."
    case .version(let version):
      "The other side speaks version \(version) of the agent's protocol: install the same version of latchkey and latchkey-agent."
    case .kind(let kind):
      "The frame has the unknown kind \(kind): install the same version of latchkey and latchkey-agent."
    case .tooLong(let kind, let bytes):
      "A frame of kind \(kind) with \(bytes) bytes is larger than permitted: have fewer applications with rules."
    case .short, .trailing: "A frame has a wrong size: install the same version of latchkey and latchkey-agent."
    case .value(let what):
      "A frame has an impossible value (\(what)): install the same version of latchkey and latchkey-agent."
    case .damaged: "The orders file is damaged: the last good one holds until the node sends new orders."
    }
  }
}
