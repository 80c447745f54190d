import FoundationEssentials
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem

/// A notice as it is sent to a webhook.
///
/// Spec: Protocol/14-bridge.md §3.
struct WebhookCall: Hashable, Sendable {
  private struct Content: Encodable {
    var number: Int
    var kind: ParentNotice.Kind
    var child: String?
    var device: String?
    var sentence: String
    var requests: [CommandID]
    var at: Int64
    var isOver: Bool
  }

  let body: [UInt8]
  /// The same in each try to deliver this notice to this receiver, and different for all others.
  let delivery: String

  /// Creates the call for a notice, with those of its requests that the node knows.
  ///
  /// `isCorrection` indicates whether another answer counts than the receiver was told.
  init(_ notice: ParentNotice, _ requests: [RequestListing], _ settings: WebhookSettings, isCorrection: Bool = false) {
    let isBare = settings.detail == .bare
    let isQuestionOver = notice.kind == .asked && notice.isOver
    let answered = isQuestionOver ? requests.filter { $0.answer != nil }.map(settings.detail.outcome) : []
    let over =
      isCorrection
      ? settings.detail.correction(requests)
      : answered.isEmpty
        ? ToldQuestions.Settled(notice: notice, requests: requests).unanswered : answered.joined(separator: " ")
    let content = Content(
      number: notice.number, kind: notice.kind, child: isBare ? nil : notice.child?.text,
      device: isBare ? nil : notice.device?.text,
      sentence: isQuestionOver ? over : settings.detail.text(notice, requests.filter { $0.state == .open }),
      requests: notice.requests, at: notice.at, isOver: notice.isOver)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    body = (try? encoder.encode(content)).map { [UInt8]($0) } ?? []
    let name =
      "delivery.\(settings.receiver).\(notice.number).\(notice.at).\(notice.isOver)" + (isCorrection ? ".\(over)" : "")
    delivery = Hexadecimal.encode(HMACSHA256.authenticate(key: settings.key, message: [UInt8](name.utf8)).prefix(16))
  }

  /// Returns the headers of a call at a time in Unix seconds.
  func headers(at seconds: Int64, key: [UInt8]) -> [(String, String)] {
    let code = HMACSHA256.authenticate(key: key, message: [UInt8]("\(seconds).".utf8) + body)
    return [
      ("content-type", "application/json"), ("x-latchkey-delivery", delivery),
      ("x-latchkey-signature", "t=\(seconds),v1=\(Hexadecimal.encode(code))"),
    ]
  }
}

/// The calls of a webhook, each to an address that was checked.
struct WebhookCaller: Sendable {
  let settings: WebhookSettings

  /// Sends a call once.
  ///
  /// The name is looked up here, and the connection goes to an address that passed the check: a
  /// name that changes meanwhile leads nowhere else.
  func send(_ call: WebhookCall) async -> Result<WebAnswer, WebFault> {
    let host = settings.url.host
    let addresses = await NameLookup.addresses(of: host)
    guard let first = addresses.first else { return .failure(.unknownName) }
    guard let address = settings.isPrivate ? first : addresses.first(where: \.isPublic) else {
      return .failure(.privateAddress(first.description))
    }
    // One client for each call, which are few, since its addresses are fixed.
    let client = WebClient(pins: IPAddress(host) == nil ? [host: address] : [:])
    let headers = call.headers(at: WallClock.now() / 1_000, key: settings.key)
    let answer = await client.post(settings.url.text, headers, call.body)
    await client.close()
    return answer
  }
}
