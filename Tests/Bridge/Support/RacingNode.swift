import LatchkeyModel
import Synchronization

@testable import LatchkeyNode

/// A node at which a child asks for time while a bridge reads what is new.
final class RacingNode: NodeInterface {
  private let request: RequestListing
  private let notice: ParentNotice
  /// The calls that are still answered as before the request.
  private let before: Mutex<Int>
  /// Keeps the stream of changes open.
  private let changes = Mutex<AsyncStream<ChangeEvent>.Continuation?>(nil)

  /// Creates a node at which a request comes after some calls.
  init(_ request: RequestListing, _ notice: ParentNotice, after calls: Int) {
    (self.request, self.notice) = (request, notice)
    before = Mutex(calls)
  }

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    if endpoint.route.operationID == Endpoints.changeEvents.route.operationID {
      let (stream, continuation) = AsyncStream<ChangeEvent>.makeStream()
      continuation.yield(ChangeEvent(.start))
      changes.withLock { $0 = continuation }
      if let answer = stream as? Answer { return answer }
    }
    let isThere = before.withLock { before in
      before -= 1
      return before < 0
    }
    let answer: any Sendable
    switch endpoint.route.operationID {
    case Endpoints.getRequests.route.operationID: answer = isThere ? [request] : [RequestListing]()
    case Endpoints.getNotices.route.operationID:
      answer = ParentNotices(
        notices: isThere ? [notice] : [], position: isThere ? notice.number : 0, quietUntil: nil)
    default: throw LocalAPIError(.internal, "The test has no answer.")
    }
    guard let answer = answer as? Answer else { throw LocalAPIError(.internal, "The answer is of another type.") }
    return answer
  }
}
