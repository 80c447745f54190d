import Dispatch
import Glibc
import LatchkeyModel
import LatchkeySystem
import Logging
import Synchronization

/// A one-time link, as the pages' process gives it to a command of the same account.
public struct WebInvitation: Hashable, Sendable {
  /// The path of the file that carries the link to a browser.
  public var file: String
  /// The address with the link, for a person to open.
  public var address: String

  private static let mostBytes = 4_096
  /// The path of the first page.
  public static let first = "/"
  /// The path of the page that lets phones in.
  public static let phones = PhonesPage.path

  init(file: String, address: String) { (self.file, self.address) = (file, address) }

  /// The two lines of the answer.
  var bytes: [UInt8] { [UInt8]("\(file)\n\(address)\n".utf8) }

  /// Reads the two lines; `nil` if they are malformed.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("/"), lines[1].hasPrefix("http://") else { return nil }
    self.init(file: String(lines[0]), address: String(lines[1]))
  }

  /// Asks the process that serves at a place for a new link to a page.
  ///
  /// Returns `nil` if no process of this account serves there, or if it does not answer in time.
  public static func ask(_ place: WebPlace, page: String = first, milliseconds: Int32 = 5_000) -> WebInvitation? {
    guard let socket = LocalSocket.connect(to: place.socket), socket.peer?.user == geteuid() else { return nil }
    // It is short: a new connection has room for it.
    guard socket.write(Array("\(page)\n".utf8)[...]) != nil else { return nil }
    let bytes = socket.read(within: Int64(milliseconds)) { $0.count > mostBytes }
    return bytes.flatMap { $0.count > mostBytes ? nil : WebInvitation($0) }
  }
}

/// The service that gives one-time links to commands of the same account, over a socket.
final class InvitationService: Sendable {
  private let place: WebPlace
  private let host: String
  private let door: WebDoor
  private let logger: Logger
  /// The file of each open link.
  private let files = Mutex<[String: String]>([:])

  init(_ place: WebPlace, host: String, door: WebDoor, logger: Logger) {
    (self.place, self.host, self.door, self.logger) = (place, host, door, logger)
  }

  /// Gives links until the task is cancelled.
  ///
  /// Calls `onRunning` once a command can connect.
  ///
  /// - Throws: `WebFault` if the socket cannot be created.
  func run(onRunning: @Sendable () -> Void) async throws {
    guard let listener = LocalSocket.listen(at: place.socket) else {
      throw place.fault(place.socket)
    }
    let (callers, continuation) = AsyncStream<LocalSocket>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: .global())
    source.setEventHandler { while let caller = listener.accept() { continuation.yield(caller) } }
    source.activate()
    defer { source.cancel() }
    onRunning()
    for await caller in callers { give(caller) }
  }

  private func give(_ caller: LocalSocket) {
    guard caller.peer?.user == geteuid(), let page = Self.page(of: caller) else { return }
    let link = door.makeLink()
    do {
      let file = try place.write(link: link, host: host, page: page)
      files.withLock { $0[link] = file }
      let isFirst = page == WebInvitation.first
      let invitation = WebInvitation(
        file: file, address: "http://\(host)/in?link=\(link)" + (isFirst ? "" : "&page=\(page)"))
      // It is short: a new connection has room for it.
      _ = caller.write(invitation.bytes[...])
      // The file is removed as soon as its link ends.
      Task { [weak self] in
        do { try await Task.sleep(for: .milliseconds(OneTimeLinks.milliseconds)) } catch { return }
        self?.remove(link)
      }
    } catch { logger.warning("no link was given", metadata: ["why": "\(error)"]) }
  }

  /// Returns the page that a caller names within a second; `nil` if it names none that a link may
  /// lead to.
  private static func page(of caller: LocalSocket) -> String? {
    let end = UInt8(ascii: "\n")
    guard let bytes = caller.read(within: 1_000, until: { $0.last == end || $0.count >= 64 }), bytes.last == end else {
      return nil
    }
    let page = String(decoding: bytes.dropLast(), as: UTF8.self)
    return [WebInvitation.first, WebInvitation.phones].contains(page) ? page : nil
  }

  func remove(_ link: String) { if let file = files.withLock({ $0.removeValue(forKey: link) }) { unlink(file) } }
}
