import LatchkeyModel

/// What the bridge to a webhook has to know.
///
/// Spec: Protocol/14-bridge.md §3.
struct WebhookSettings: Sendable {
  /// The smallest size of the key in bytes.
  static let leastKeyBytes = 16

  let url: WebURL
  let detail: NoticeDetail
  /// The key of the signatures: the bytes of the text that the other side has as well.
  let key: [UInt8]
  /// A Boolean value that indicates whether addresses of this machine and its network may be
  /// called.
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
