import LatchkeyModel
import LatchkeyNode

/// The questions of children that a receiver was told and that are not answered yet.
struct ToldQuestions: Sendable {
  /// A question whose requests are all answered, or over.
  struct Settled: Sendable {
    var notice: ParentNotice
    /// Its requests that the node still knows.
    var requests: [RequestListing]

    /// What is said if no parent has answered.
    ///
    /// A node that does not list the requests any more does not know whether somebody did: the
    /// child may have left the family, or the bridge was away for days.
    var unanswered: String {
      requests.isEmpty ? "That question waits for no answer any more." : "Nobody answered in time."
    }
  }

  /// The largest number of questions.
  ///
  /// The oldest are forgotten first.
  static let most = 64

  /// The notices of the questions, the oldest first.
  private(set) var notices: [ParentNotice] = []

  init() {}

  /// Creates the questions that an earlier run of the bridge has kept.
  init(_ notices: [ParentNotice]) { for notice in notices.suffix(Self.most) { told(notice) } }

  var isEmpty: Bool { notices.isEmpty }

  /// Notes that a question was told; it takes the place of an earlier one with the same key, and
  /// of those that `recover` has noted for its requests.
  mutating func told(_ notice: ParentNotice) {
    guard notice.kind == .asked, !notice.requests.isEmpty else { return }
    let requests = Set(notice.requests)
    notices.removeAll { $0.key == notice.key || $0.number == 0 && !requests.isDisjoint(with: $0.requests) }
    notices.append(notice)
    if notices.count > Self.most { notices.removeFirst() }
  }

  /// Adds the questions that an earlier run of the bridge has told the receiver, if it has kept
  /// none.
  ///
  /// These are the requests that are still open and that no notice in `new` is about.
  mutating func recover(_ requests: [RequestListing], besides new: [ParentNotice]) {
    let untold = Set(new.flatMap(\.requests))
    for request in requests.reversed() where request.state == .open && !untold.contains(request.requestID) {
      told(
        ParentNotice(
          number: 0, kind: .asked, key: request.requestID.description, child: request.childName,
          device: request.deviceName, requests: [request.requestID], sentence: "", at: request.askedAt))
    }
  }

  /// Returns the question that is told about a request.
  func notice(of request: CommandID) -> ParentNotice? { notices.last { $0.requests.contains(request) } }

  mutating func forget(_ key: String) { notices.removeAll { $0.key == key } }

  /// Removes the questions of which nothing is open any more, and returns them.
  mutating func settled(_ requests: [RequestListing]) -> [Settled] {
    let open = Set(requests.filter { $0.state == .open }.map(\.requestID))
    let over = notices.filter { notice in !notice.requests.contains { open.contains($0) } }
    notices.removeAll { notice in over.contains { $0.key == notice.key } }
    return over.map { notice in
      Settled(notice: notice, requests: requests.filter { notice.requests.contains($0.requestID) })
    }
  }
}
