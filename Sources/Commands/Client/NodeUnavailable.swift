import LatchkeyNode

/// The reason why no node can be reached, with the next step.
public struct NodeUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The condition that prevents a connection.
  public enum Reason: Sendable, Hashable {
    /// There is no state folder yet.
    case notInitialised
    /// No process listens on the folder's socket.
    case notRunning
    /// The folder or its socket belongs to another user.
    case notPermitted
    /// Other users may change the folder, so that one of them could answer in place of the node.
    case notPrivate
  }

  public var reason: Reason
  public var stateFolder: String

  public init(_ reason: Reason, stateFolder: String) {
    self.reason = reason
    self.stateFolder = stateFolder
  }

  /// A sentence with the fault and the next step.
  public var description: String {
    switch reason {
    case .notRunning where stateFolder == SystemNode.stateFolder:
      "This machine's Latchkey service is not running: start it with `sudo systemctl start latchkey`, or see why it ended "
        + "with `systemctl status latchkey`."
    case .notInitialised:
      "There is no Latchkey state folder at \(stateFolder): make one with `latchkey init --role parent|child --name NAME "
        + "--state-dir \(shown)`, or name another one with --state-dir."
    case .notRunning: "No node is running for \(stateFolder): start it with `latchkey run --state-dir \(shown)`."
    case .notPermitted:
      "The node of \(stateFolder) belongs to another user: run the command as that user, or name your own folder with "
        + "--state-dir."
    case .notPrivate:
      "The state folder \(stateFolder) is a symbolic link, or others may use it: run `chmod 700 \(shown)`, or name the folder "
        + "itself with --state-dir."
    }
  }

  /// The folder in a form that can be pasted into a shell.
  private var shown: String { Self.shellWord(stateFolder) }

  /// Returns a folder in a form that can be pasted into a shell.
  static func shellWord(_ folder: String) -> String {
    let plain = folder.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "+"):
        true
      default: byte >= 0x80
      }
    }
    return plain
      ? folder : "'" + folder.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
