import LatchkeyModel
import LatchkeyNode

/// Something that has happened, as Home Assistant's event entity of a child takes it.
///
/// It is published once and not retained.
///
/// Spec: Protocol/14-bridge.md §4.
struct ChildEvent: Hashable, Sendable, Codable {
  /// The type of an event about a press that was not carried out.
  static let refused = "refused"
  /// What can happen: what parents are told, and that a press was refused.
  static let types = ParentNotice.Kind.allCases.map(\.rawValue) + [refused]

  var type: String
  var sentence: String
  /// When it happened, in Unix milliseconds.
  var at: Int64
  /// For a request: its ID, with which it is answered.
  var request: String?
  /// The minutes asked for.
  var minutes: Int?
  /// The application that is asked for, or for which the time is.
  var app: String?
  var reason: String?

  private enum CodingKeys: String, CodingKey {
    case type = "event_type"
    case sentence, at, request, minutes, app, reason
  }

  /// Returns what a notice is to a child's entity: an event for each request that is still open, or
  /// one event.
  static func of(_ notice: ParentNotice, _ requests: [RequestListing]) -> [ChildEvent] {
    guard !notice.isOver else { return [] }
    let plain = ChildEvent(type: notice.kind.rawValue, sentence: notice.sentence, at: notice.at)
    guard notice.kind == .asked else { return [plain] }
    return requests.filter { notice.requests.contains($0.requestID) && $0.state == .open }.map { request in
      var event = plain
      (event.request, event.minutes) = (request.requestID.description, request.minutes)
      event.app = request.appName ?? request.category?.rawValue
      event.reason = request.reason.isEmpty ? nil : request.reason
      event.at = request.askedAt
      return event
    }
  }
}
