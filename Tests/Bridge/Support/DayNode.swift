import LatchkeyModel
import Synchronization

@testable import LatchkeyNode

/// A node whose children ask and are answered, which keeps the place of one receiver.
final class DayNode: NodeInterface {
  private struct State {
    var requests: [RequestListing] = []
    var notices: [ParentNotice] = []
    var position = 0
    var faults: [String?] = []
    var dropped = 0
  }

  private let state = Mutex(State())

  /// What the bridge has said is wrong, the last at the end.
  var faults: [String?] { state.withLock { $0.faults } }
  /// The notices that the bridge has given up.
  var dropped: Int { state.withLock { $0.dropped } }

  /// Notes that a child asks; returns the request.
  @discardableResult func ask(_ number: Int) throws -> CommandID {
    let id = CommandID(milliseconds: 1_795_938_000_000 + Int64(number), random: [UInt8](repeating: 7, count: 10))
    let request = try Sample.request(id)
    var notice = try Sample.asked([id], number: number)
    notice.key = "asked/\(number)"
    state.withLock { state in
      state.requests.append(request)
      state.notices.append(notice)
    }
    return id
  }

  /// Notes that another parent has answered; without minutes with a no.
  func answer(_ id: CommandID, minutes: Int? = 30) throws {
    let answered =
      try minutes.map { try Sample.request(id, state: .approved, answer: #""isApproved":true,"minutes":\#($0)"#) }
      ?? Sample.request(id, state: .denied, answer: #""isApproved":false"#)
    state.withLock { state in
      state.requests = state.requests.map { $0.requestID == id ? answered : $0 }
      state.notices = state.notices.map { notice in
        var notice = notice
        if notice.requests == [id] { notice.isOver = true }
        return notice
      }
    }
  }

  /// Forgets all requests, as at the end of their day.
  func endDay() { state.withLock { $0.requests = [] } }

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    let answer: any Sendable
    switch endpoint.route.operationID {
    case Endpoints.getRequests.route.operationID: answer = state.withLock { $0.requests }
    case Endpoints.getNotices.route.operationID:
      answer = state.withLock { state in
        ParentNotices(
          notices: Array(state.notices.filter { $0.number > state.position && !$0.isOver }.suffix(100)),
          position: state.notices.last?.number ?? 0, quietUntil: nil)
      }
    case Endpoints.setPosition.route.operationID:
      guard let (_, place) = input as? (String, ReceiverPosition) else { throw Self.fault }
      state.withLock { state in
        state.position = max(state.position, place.position)
        state.dropped += place.dropped ?? 0
      }
      answer = place
    case Endpoints.reportReceiver.route.operationID:
      guard let (_, said) = input as? (String, ReceiverState) else { throw Self.fault }
      state.withLock { $0.faults.append(said.fault) }
      answer = said
    default: throw Self.fault
    }
    guard let answer = answer as? Answer else { throw Self.fault }
    return answer
  }

  private static let fault = LocalAPIError(.internal, "The test has no answer.")
}
