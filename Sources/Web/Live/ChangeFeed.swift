import LatchkeyModel
import LatchkeyNode
import Logging

/// The changes at the node, for all open pages: they are followed once, while a page reads them.
///
/// A page is told that something has changed, and asks for itself again. So it needs no rights but
/// its own, and a change that it missed costs nothing.
actor ChangeFeed {
  typealias Opening = @Sendable () async throws -> any NodeInterface

  private static let longestPause = 5

  private let open: Opening
  private let logger: Logger
  private var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var next = 0
  private var following: Task<Void, Never>?

  init(logger: Logger, open: @escaping Opening) { (self.logger, self.open) = (logger, open) }

  /// Returns a signal for each change from now on; several that nobody has read are one.
  func changes() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = next
    next += 1
    readers[number] = continuation
    continuation.onTermination = { [weak self] _ in
      // It may be called from anywhere, and has no parent task.
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
      // What the node said last may not hold any more.
      tell()
      do { try await Task.sleep(for: .seconds(pause)) } catch { return }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Has each reader look again.
  func tell() { for reader in readers.values { reader.yield() } }
}
