import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// What gathers the facts about the pages for phones.
enum PhoneGatherer {
  /// Returns the facts about the pages for phones; `nil` if none is let in.
  ///
  /// - Parameters:
  ///   - stateFolder: The state folder of the node.
  ///   - browsers: The phones that are let in.
  /// - Returns: The facts.
  static func look(_ stateFolder: String, _ browsers: [BrowserListing]) -> PhoneFacts? {
    guard !browsers.isEmpty else { return nil }
    let port = PhonePlace.read(in: stateFolder).map { UInt16(clamping: $0.port) }
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map { ProcFile.text($0, most: 8 << 20) ?? "" }
    return PhoneFacts(
      labels: browsers.map(\.label), port: port,
      isListening: port.map { port in tables.contains { isListening(port, in: $0) } } ?? false,
      hasAuthority: access(PhonePlace.folder(in: stateFolder) + "/authority.pem", F_OK) == 0)
  }

  /// Returns whether a program listens on a TCP port, by a table such as `/proc/net/tcp`.
  static func isListening(_ port: UInt16, in table: String) -> Bool {
    table.split(separator: "\n").dropFirst().contains { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 3, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":") else { return false }
      return UInt16(fields[1][fields[1].index(after: colon)...], radix: 16) == port
    }
  }
}
