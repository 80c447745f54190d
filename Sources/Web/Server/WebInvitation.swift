import Glibc
import LatchkeyModel
import LatchkeySystem

/// A one-time link, as the process of the pages gives it to a command of the same account.
public struct WebInvitation: Hashable, Sendable {
  /// The file that takes the link to a browser.
  public var file: String
  /// The link as an address, for a person to open.
  public var address: String

  private static let mostBytes = 4_096
  /// The page to begin with.
  public static let first = "/"
  /// The page that lets phones in.
  public static let phones = PhonesPage.path

  init(file: String, address: String) { (self.file, self.address) = (file, address) }

  /// The lines in which it is given.
  var bytes: [UInt8] { [UInt8]("\(file)\n\(address)\n".utf8) }

  /// Reads the lines; `nil` if they are malformed.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("/"), lines[1].hasPrefix("http://") else { return nil }
    self.init(file: String(lines[0]), address: String(lines[1]))
  }

  /// Asks the process that serves at a place.
  ///
  /// - Parameters:
  ///   - place: The folder of the process.
  ///   - page: The page to which the link leads.
  ///   - milliseconds: How long to wait for its answer.
  /// - Returns: A new link; `nil` if no process of this account serves there.
  public static func ask(
    _ place: WebPlace, page: String = first, milliseconds: Int32 = 5_000
  ) -> WebInvitation? {
    guard let socket = LocalSocket.connect(to: place.socket), socket.peer?.user == geteuid() else { return nil }
    // It is short: a new connection has room for it.
    guard socket.write(Array("\(page)\n".utf8)[...]) != nil else { return nil }
    let deadline = SystemClock.awake.milliseconds + Int64(milliseconds)
    var bytes: [UInt8] = []
    while bytes.count <= mostBytes {
      var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      let rest = deadline - SystemClock.awake.milliseconds
      guard rest > 0, poll(&waiting, 1, Int32(clamping: rest)) != 0 else { return nil }
      guard let more = socket.read() else { return WebInvitation(bytes) }
      bytes += more
    }
    return nil
  }
}
