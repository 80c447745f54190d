import FoundationEssentials
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem

/// A receiver that calls a program by HTTP with each notice.
///
/// Spec: Protocol/14-bridge.md §3.
public struct WebhookReceiver: BridgeKind {
  public static let kind = ReceiverKind.webhook

  private let settings: WebhookSettings

  public init(_ settings: BridgeSettings) throws(BridgeFault) { self.settings = try WebhookSettings(settings) }

  public func run(_ bridge: Bridge) async throws {
    let caller = WebhookCaller(settings: settings)
    let teller = WebhookTeller(settings, bridge) { await caller.send($0) }
    try await bridge.follow { try await teller.look() }
  }
}

/// The settings of a bridge to a webhook.
///
/// Spec: Protocol/14-bridge.md §3.
struct WebhookSettings: Sendable {
  /// The smallest size of the key in bytes.
  fileprivate static let leastKeyBytes = 16

  let url: WebURL
  let detail: NoticeDetail
  /// The key of the signatures: the bytes of the text that the called program also has.
  let key: [UInt8]
  /// A Boolean value that indicates whether addresses of this network may be called.
  let isPrivate: Bool
  let receiver: String

  init(_ settings: BridgeSettings) throws(BridgeFault) {
    let again = "set it up anew with `latchkey receivers add webhook`."
    guard let url = WebURL(try settings.value("url")) else {
      throw BridgeFault("The URL of “\(settings.name)” is no address such as https://example.org/hook: \(again)")
    }
    let isPrivate = settings.values["private"] == "yes"
    guard url.isEncrypted || isPrivate && url.isLoopback || settings.values["insecure"] == "yes" else {
      throw BridgeFault("Others in the network could read along at \(url.server): give an https:// address.")
    }
    guard let detail = NoticeDetail(rawValue: settings.values["text"] ?? "bare") else {
      throw BridgeFault("The text of “\(settings.name)” is bare, names or full: \(again)")
    }
    let key = [UInt8](try settings.secret("key").utf8)
    guard key.count >= Self.leastKeyBytes else {
      throw BridgeFault("The key of “\(settings.name)” is shorter than \(Self.leastKeyBytes) bytes: \(again)")
    }
    (self.url, self.detail, self.key, self.isPrivate, receiver) = (url, detail, key, isPrivate, settings.name)
  }
}

/// The settings of a new webhook.
///
/// Spec: Protocol/14-bridge.md §3.
public struct WebhookSetup: Sendable {
  public let values: [String: String]
  public let secrets: [String: String]

  /// Creates the receiver.
  ///
  /// `text` is one of `NtfySetup.texts`. `key` has at least 16 bytes; `nil` for a new one.
  /// `isPrivate` permits addresses of this machine and its network. `isInsecure` permits calls over
  /// the network without encryption.
  ///
  /// - Throws: `BridgeFault` for an address or a key that cannot be used.
  public init(url: String, text: String, key: String?, isPrivate: Bool, isInsecure: Bool) throws(BridgeFault) {
    guard let address = WebURL(url) else {
      throw BridgeFault("The URL is an address such as https://example.org/hook, without a user or password in it.")
    }
    guard address.isEncrypted || address.isLoopback || isInsecure else {
      throw BridgeFault(
        "Without encryption, others in the network could read along: give an https:// address, or add `--insecure` if "
          + "you mean it.")
    }
    let literal = IPAddress(address.host)
    guard isPrivate || !address.isLoopback && literal?.isPublic != false else {
      throw BridgeFault("\(address.server) is in this machine or its network: add `--private` if that is meant.")
    }
    if let key, key.utf8.count < WebhookSettings.leastKeyBytes {
      throw BridgeFault("The key has fewer than \(WebhookSettings.leastKeyBytes) bytes: give a longer one.")
    }
    var values = ["url": address.text, "text": text]
    if isPrivate { values["private"] = "yes" }
    if isInsecure { values["insecure"] = "yes" }
    self.values = values
    secrets = ["key": key ?? Hexadecimal.encode(SecureRandom.bytes(32))]
  }
}

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
  /// The name of the delivery.
  ///
  /// It is the same in each try to deliver this notice to this receiver, and differs from all
  /// others.
  let delivery: String

  /// Creates the call for a notice, with those of its requests that the node lists.
  ///
  /// `isCorrection` indicates whether the receiver was told an answer that does not count.
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

/// The caller of a webhook.
///
/// It checks the address of each call.
struct WebhookCaller: Sendable {
  let settings: WebhookSettings

  /// Sends a call once.
  ///
  /// The name is resolved here, and the connection goes to an address that passed the check. So a
  /// name that changes meanwhile does not lead elsewhere.
  func send(_ call: WebhookCall) async -> Result<WebAnswer, WebFault> {
    let host = settings.url.host
    let addresses = await NameLookup.addresses(of: host)
    guard let first = addresses.first else { return .failure(.unknownName) }
    guard let address = settings.isPrivate ? first : addresses.first(where: \.isPublic) else {
      return .failure(.privateAddress(first.description))
    }
    // Each call has its own client, because a client's addresses are fixed. Calls are few.
    let client = WebClient(pins: IPAddress(host) == nil ? [host: address] : [:])
    let headers = call.headers(at: WallClock.now() / 1_000, key: settings.key)
    let answer = await client.post(settings.url.text, headers, call.body)
    await client.close()
    return answer
  }
}
