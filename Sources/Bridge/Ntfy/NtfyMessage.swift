import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol

/// A message as it is published to an ntfy server.
///
/// A server from 2.16 on shows a message in the place of an earlier one with the same
/// `sequence_id`. An older server ignores that member.
struct NtfyMessage: Hashable, Sendable, Encodable {
  struct Action: Hashable, Sendable, Encodable {
    var action = "http"
    var label: String
    var url: String
    var method = "POST"
    var headers: [String: String]?
    var body: String
    /// Whether the phone removes the notification once the server has taken the press.
    var clear = true
  }

  /// The priority of a message on a phone.
  enum Priority: Int, Hashable, Sendable, Encodable {
    /// The phone makes no sound.
    case low = 2
    case usual = 3
    case high = 4
  }

  var topic: String
  var title = "Latchkey"
  var message: String
  var priority: Priority
  var sequence: String
  var actions: [Action]?
  /// The page that a tap on the message opens; `nil` for none.
  var click: String?

  private enum CodingKeys: String, CodingKey {
    case topic, title, message, priority, actions, click
    case sequence = "sequence_id"
  }

  /// Creates the message of a notice with its open requests.
  ///
  /// `pages` is the address of the pages for phones, with `/` at its end; `nil` for none.
  init(_ notice: ParentNotice, _ requests: [RequestListing], _ settings: NtfySettings, pages: String? = nil) {
    click = pages.map { $0 + Self.page(notice.kind) }
    topic = settings.out
    message = settings.detail.text(notice, requests)
    priority = notice.kind == .asked ? .high : .usual
    sequence = Self.sequence(Self.place(notice), settings.key)
    actions = Self.actions(notice, requests, settings)
  }

  /// Creates a message about an outcome, which replaces the notice at `place`.
  init(_ text: String, in place: String, _ settings: NtfySettings) {
    topic = settings.out
    message = NoticeDetail.shortened(text)
    priority = .low
    sequence = Self.sequence(place, settings.key)
  }

  /// Returns the path of the page that a notice is about.
  private static func page(_ kind: ParentNotice.Kind) -> String {
    switch kind {
    case .asked, .limitReached, .learningHeld, .ruleNotInForce: ""
    case .machineSilent, .machineBack, .rulesWeakened, .parentJoined: "machines"
    }
  }

  /// Returns the text that a notice shares with later messages that replace it.
  static func place(_ notice: ParentNotice) -> String { notice.requests.first?.description ?? notice.key }

  /// Returns the `sequence_id` of a place, which reveals nothing about the notice.
  private static func sequence(_ place: String, _ key: [UInt8]) -> String {
    Hexadecimal.encode(HMACSHA256.authenticate(key: key, message: [UInt8]("sequence.\(place)".utf8)).prefix(8))
  }

  private static func actions(
    _ notice: ParentNotice, _ requests: [RequestListing], _ settings: NtfySettings
  ) -> [Action]? {
    guard settings.mayAnswer, notice.kind == .asked, (1...ButtonCode.mostRequests).contains(requests.count) else {
      return nil
    }
    return AnswerButton.fitting(requests).map { choice in
      let code = ButtonCode(notice: notice.number, requests: requests.map(\.requestID), choice: choice)
      return Action(
        label: choice.label, url: "\(settings.server)/\(settings.in)",
        headers: settings.buttonAuthorization.map { ["Authorization": $0] }, body: code.text(key: settings.key))
    }
  }
}

/// A line of the stream of a topic.
struct NtfyEvent: Decodable, Sendable {
  var id: String
  /// The kind of the line: `open`, `keepalive`, `message`, or another one in newer servers.
  var event: String
  var message: String?
  /// When the server took the message, in Unix seconds by the server's clock.
  var time: Int64?

  /// A Boolean value that indicates whether the ID can be part of a URL.
  var hasPlainID: Bool { Self.isPlain(id) }

  /// Returns whether an ID can be part of a URL.
  static func isPlain(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }
  }
}

/// The sentences for parents about an ntfy server's refusals.
enum NtfyFault {
  /// The request that the server refused.
  enum Wish {
    case publish
    case read
  }

  /// Returns one sentence about the status of a failure: the fault and the next step.
  static func sentence(_ status: Int, of server: String, to wish: Wish) -> String {
    switch (status, wish) {
    case (401, _):
      "\(server) does not know the user, password or token: set the receiver up anew with `latchkey receivers add ntfy`."
    case (403, .publish):
      "\(server) does not let this machine publish: have its operator run the `ntfy access` lines that "
        + "`latchkey receivers add ntfy` shows."
    case (403, .read):
      "\(server) does not let this machine read what the buttons post: have its operator run the `ntfy access` lines "
        + "that `latchkey receivers add ntfy` shows."
    case (404, _), (405, _): "\(server) is no ntfy server (status \(status)): check the address, also a path in it."
    case (400, _), (413, _): "\(server) refuses the message (status \(status)): choose --text bare or names."
    case (429, _), (507, _):
      "\(server) takes no more messages for now (status \(status)): wait, or raise `visitor-request-limit-burst` there."
    case (300..<400, _): "\(server) sends callers elsewhere (status \(status)): add the receiver with that address."
    case (500..., _): "\(server) has a fault of its own (status \(status)): see its log. It is tried again."
    default: "\(server) refuses with status \(status): see its log."
    }
  }

  /// Returns whether a status refuses this one message, and not the bridge.
  static func isAboutMessage(_ status: Int) -> Bool { status == 400 || status == 413 || status == 422 }
}
