/// The line in PAM's configuration that has PAM ask the agent before a session begins.
///
/// Spec: Protocol/13-agent.md §13.
public enum LoginGateLine {
  /// The most bytes that are read of PAM's file.
  private static let most = 65_536

  /// Returns whether PAM's file for accounts contains the line, and not as a comment.
  public static func isThere(_ path: String = "/etc/pam.d/common-account") -> Bool {
    let gate = Array("/latchkey-agent gate".utf8)
    return (ProcFile.read(path, most: most) ?? []).split(separator: UInt8(ascii: "\n")).contains { line in
      let words = line.prefix { $0 != UInt8(ascii: "#") }
      return words.indices.contains { words[$0...].starts(with: gate) }
    }
  }
}
