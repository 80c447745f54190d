import FoundationEssentials
import LatchkeyModel

/// What the bridge to an ntfy server has to know.
///
/// Spec: Protocol/14-bridge.md §2.
struct NtfySettings: Sendable {
  /// The size of the receiver's key in bytes.
  static let keyBytes = 32

  /// The address of the server, without a slash at its end.
  let server: WebURL
  /// The topic to which notices are published.
  let out: String
  /// The topic to which the phone's buttons post.
  let `in`: String
  let detail: NoticeDetail
  /// A Boolean value that indicates whether notices have buttons.
  let mayAnswer: Bool
  /// The key of the buttons' codes.
  let key: [UInt8]
  /// The headers by which the server knows the node.
  let headers: [(String, String)]
  /// The header that the phone's buttons send along; `nil` if anybody may write to their topic.
  let buttonAuthorization: String?

  init(_ settings: BridgeSettings) throws(BridgeFault) {
    let again = "set it up anew with `latchkey receivers add ntfy`."
    guard let server = WebURL(try settings.value("server")), !server.hasQuery else {
      throw BridgeFault("The server of “\(settings.name)” is no address such as https://ntfy.example.org: \(again)")
    }
    guard server.isEncrypted || server.isLoopback || settings.values["insecure"] == "yes" else {
      throw BridgeFault(
        "Others in the network could read and answer along at \(server.server): give an https:// address.")
    }
    guard let key = Hexadecimal.decode(try settings.secret("key")), key.count == Self.keyBytes else {
      throw BridgeFault("The key of “\(settings.name)” is damaged: \(again)")
    }
    let (out, into) = (try settings.value("out"), try settings.value("in"))
    guard Self.isTopic(out), Self.isTopic(into), out != into else {
      throw BridgeFault("A topic of “\(settings.name)” is damaged: \(again)")
    }
    guard let detail = NoticeDetail(rawValue: settings.values["text"] ?? "bare") else {
      throw BridgeFault("The text of “\(settings.name)” is bare, names or full: \(again)")
    }
    (self.server, self.out, self.in, self.detail, self.key) = (server, out, into, detail, key)
    let rights = (settings.values["may"] ?? "").split(separator: ",")
    mayAnswer = rights.contains { $0 == ReceiverRight.answer.rawValue }
    headers =
      Self.authorization(settings.values["username"], settings.secrets["secret"]).map { [("authorization", $0)] } ?? []
    buttonAuthorization = settings.secrets["buttonToken"].flatMap { $0.isEmpty ? nil : "Bearer \($0)" }
  }

  /// Returns the header for a user with a password or, without a user, for a token.
  private static func authorization(_ user: String?, _ secret: String?) -> String? {
    guard let secret, !secret.isEmpty else { return nil }
    guard let user, !user.isEmpty else { return "Bearer \(secret)" }
    return "Basic " + Data("\(user):\(secret)".utf8).base64EncodedString()
  }

  /// Returns whether a text can be a topic that nobody guesses.
  private static func isTopic(_ text: String) -> Bool {
    (16...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
