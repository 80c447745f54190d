import LatchkeyModel
import LatchkeyNode

/// The amount of detail in the texts that a receiver's server gets.
enum NoticeDetail: String, Hashable, Sendable, CaseIterable {
  /// The event, without a name.
  case bare
  /// The event, the names of children and machines, and the minutes that a child asks for.
  case names
  /// The notice's sentence, with applications and reasons.
  case full

  /// The largest size of a text in bytes.
  ///
  /// Some push services accept only about 4 KB.
  static let mostBytes = 1_000

  func text(_ notice: ParentNotice, _ requests: [RequestListing]) -> String {
    let child = self == .bare ? "A child" : PrintableText.of(notice.child?.text ?? "A child")
    let machine = self == .bare ? "A machine" : PrintableText.of(notice.device?.text ?? "A machine")
    if self == .full { return Self.shortened(PrintableText.of(notice.sentence)) }
    switch notice.kind {
    case .asked: return "\(child) asks for \(wish(requests))."
    case .limitReached: return "\(child) has used up a limit."
    case .machineSilent: return "\(machine) has been silent for two days."
    case .machineBack: return "\(machine) is there again."
    case .rulesWeakened: return "Something weakens the rules on \(place(machine))."
    case .ruleNotInForce: return "What was set an hour ago or earlier is not in force on \(place(machine)) yet."
    case .parentJoined: return "Another parent’s machine has joined the family."
    case .learningHeld: return "Learning waits for your review."
    }
  }

  /// Returns the sentence about a request's outcome.
  func outcome(_ request: RequestListing) -> String {
    guard let answer = request.answer else { return "Nobody answered." }
    let child = self == .bare ? "" : PrintableText.of(request.childName.text)
    let minutes = answer.minutes ?? request.minutes
    let what = minutes.map { SpanText.minutes($0) }
    let app = self == .full ? request.appName.map { PrintableText.of($0) } : nil
    let by = self == .full ? " It was answered on \(PrintableText.of(answer.by.text))." : ""
    if self == .bare { return answer.isApproved ? "Answered: \(what ?? "yes")." : "Answered: no." }
    let wish = [what, app].compactMap(\.self).joined(separator: " for ")
    let shown = wish.isEmpty ? "the application" : wish
    return answer.isApproved ? "\(child) gets \(shown).\(by)" : "\(child) does not get \(shown).\(by)"
  }

  /// Returns the sentence about the answers that count instead of those that were told before.
  func correction(_ requests: [RequestListing]) -> String {
    (["Another parent’s answer was earlier and counts."] + requests.map(outcome)).joined(separator: " ")
  }

  private func place(_ machine: String) -> String { self == .bare ? "a machine" : machine }

  private func wish(_ requests: [RequestListing]) -> String {
    if self == .bare {
      return requests.allSatisfy { $0.minutes == nil } && !requests.isEmpty ? "an application" : "time"
    }
    var wishes: [String] = []
    for request in requests {
      let wish = request.minutes.map { SpanText.minutes($0) } ?? "an application"
      if !wishes.contains(wish) { wishes.append(wish) }
    }
    return wishes.isEmpty ? "something" : wishes.joined(separator: " and ")
  }

  /// Returns a text of at most `mostBytes` bytes.
  static func shortened(_ text: String) -> String {
    guard text.utf8.count > mostBytes else { return text }
    var short = text
    while short.utf8.count > mostBytes - 3 { short.removeLast() }
    return short + "…"
  }
}
