import Foundation

/// The profile by which PAM asks the agent before a session begins.
///
/// Spec: Protocol/13-agent.md §13.
public enum LoginProfile {
  /// Returns whether a log-in asks the agent; `root` is the folder that counts as `/`.
  ///
  /// It looks at the file that `pam-auth-update` writes and that each service of Debian's includes.
  public static func isOn(root: String = "") -> Bool {
    // Not decoded as UTF-8: a comment may have any bytes.
    guard let data = FileManager.default.contents(atPath: root + "/etc/pam.d/common-account") else { return false }
    return data.split(separator: UInt8(ascii: "\n")).contains { line in
      let words = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      return words.first == "account" && words.suffix(2) == ["/usr/bin/latchkey-agent", "gate"]
    }
  }
}
