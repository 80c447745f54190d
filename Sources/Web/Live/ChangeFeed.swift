import LatchkeyModel
import LatchkeyNode
import Logging

/// The changes at the node for all open pages.
///
/// They are read once, while a page is open.
///
/// A page that hears of a change asks for itself again. So it needs only its own rights, and a
/// missed change costs nothing.
actor ChangeFeed {
  typealias Opening = @Sendable () async throws -> any NodeInterface

  private static let longestPause = 5

  private let open: Opening
  private let logger: Logger
  private var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var next = 0
  private var following: Task<Void, Never>?

  init(logger: Logger, open: @escaping Opening) { (self.logger, self.open) = (logger, open) }

  /// Returns a stream with a signal for each change from now on.
  ///
  /// Several unread signals become one.
  func changes() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = next
    next += 1
    readers[number] = continuation
    continuation.onTermination = { [weak self] _ in
      // The task has no parent, because this method may be called from anywhere.
      Task { [weak self] in await self?.leave(number) }
    }
    if following == nil { following = Task { [weak self] in await self?.follow() } }
    return changes
  }

  private func leave(_ number: Int) {
    readers[number] = nil
    guard readers.isEmpty else { return }
    following?.cancel()
    following = nil
  }

  private func follow() async {
    var pause = 1
    while !Task.isCancelled {
      do {
        for await _ in try await open().ask(Endpoints.changeEvents, nil) {
          pause = 1
          tell()
        }
      } catch { logger.debug("the node is away", metadata: ["error": "\(error)"]) }
      if Task.isCancelled { return }
      // The last answer of the node may be out of date.
      tell()
      do { try await Task.sleep(for: .seconds(pause)) } catch { return }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Signals a change to each reader.
  func tell() { for reader in readers.values { reader.yield() } }
}
