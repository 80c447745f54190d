import LatchkeyModel

/// What a parent can press to answer a child's requests, on a desktop and on a phone.
package enum AnswerButton: String, Hashable, Sendable, CaseIterable {
  case quarter = "15"
  case half = "30"
  case yes
  case no

  package var label: String {
    switch self {
    case .quarter: "15 min"
    case .half: "30 min"
    case .yes: "Yes"
    case .no: "No"
    }
  }

  /// Returns the buttons that fit what is asked: an application alone is allowed or not.
  package static func fitting(_ requests: [RequestListing]) -> [AnswerButton] {
    requests.allSatisfy { $0.minutes == nil } ? [.yes, .no] : [.quarter, .half, .no]
  }

  /// Returns the answer to one of the requests.
  package func answer(to request: RequestListing) -> AnswerRequest {
    AnswerRequest(
      request: request.requestID.description, isApproved: self != .no,
      minutes: request.minutes == nil ? nil : Int(rawValue))
  }
}
