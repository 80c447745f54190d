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
    guard caller.peer?.user == geteuid() else { return }
    let link = door.makeLink()
    do {
      let file = try place.write(link: link, host: host)
      files.withLock { $0[link] = file }
      let invitation = WebInvitation(file: file, address: "http://\(host)/in?link=\(link)")
      // It is short: a new connection has room for it.
      _ = caller.write(invitation.bytes[...])
      // The file outlives its link by nothing.
      Task { [weak self] in
        do { try await Task.sleep(for: .milliseconds(OneTimeLinks.milliseconds)) } catch { return }
        self?.remove(link)
      }
    } catch { logger.warning("no link was given", metadata: ["why": "\(error)"]) }
  }

  /// Removes the file of a link that was used or has expired.
  func remove(_ link: String) {
    if let file = files.withLock({ $0.removeValue(forKey: link) }) { unlink(file) }
  }
}
