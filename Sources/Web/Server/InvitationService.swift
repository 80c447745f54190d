import Dispatch
import Glibc
import LatchkeyModel
import LatchkeySystem
import Logging
import Synchronization

/// What gives one-time links to commands of the same account, over a socket in the place of the
/// pages.
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
  /// - Parameter onRunning: Called once a command can connect.
  /// - Throws: `WebFault` if the socket cannot be made.
  func run(onRunning: @Sendable () -> Void) async throws {
    guard let listener = LocalSocket.listen(at: place.socket) else {
      throw WebFault(
        "\(place.socket) cannot be made (\(String(cString: strerror(errno)))): check the folder's rights and the disk.")
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
      // The file outlives its link by nothing.
      Task { [weak self] in
        do { try await Task.sleep(for: .milliseconds(OneTimeLinks.milliseconds)) } catch { return }
        self?.remove(link)
      }
    } catch { logger.warning("no link was given", metadata: ["why": "\(error)"]) }
  }

  /// Returns the page that a caller names in its line; `nil` if there is no such page, or no line
  /// within a second.
  private static func page(of caller: LocalSocket) -> String? {
    var bytes: [UInt8] = []
    let deadline = SystemClock.awake.milliseconds + 1_000
    while bytes.last != UInt8(ascii: "\n"), bytes.count < 64 {
      var waiting = pollfd(fd: caller.descriptor, events: Int16(POLLIN), revents: 0)
      let rest = deadline - SystemClock.awake.milliseconds
      guard rest > 0, poll(&waiting, 1, Int32(clamping: rest)) > 0, let more = caller.read() else { return nil }
      bytes += more
    }
    let page = String(decoding: bytes.dropLast(), as: UTF8.self)
    return [WebInvitation.first, WebInvitation.phones].contains(page) ? page : nil
  }

  /// Removes the file of a link that was used or has expired.
  func remove(_ link: String) {
    if let file = files.withLock({ $0.removeValue(forKey: link) }) { unlink(file) }
  }
}
