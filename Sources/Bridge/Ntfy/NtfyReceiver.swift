import FoundationEssentials
import LatchkeyModel
import LatchkeyProtocol

/// A phone with the ntfy app, or anything else that subscribes to a topic of an ntfy server.
///
/// Spec: Protocol/14-bridge.md §2.
public struct NtfyReceiver: BridgeKind {
  public static let kind = ReceiverKind.ntfy
  /// The time without a byte after which the stream is opened again, in seconds.
  ///
  /// A server sends something every 45 seconds, or as often as its operator has set.
  private static let silence: Int64 = 180

  private let settings: NtfySettings

  public init(_ settings: BridgeSettings) throws(BridgeFault) { self.settings = try NtfySettings(settings) }

  public func run(_ bridge: Bridge) async throws {
    let client = WebClient(silence: Self.silence)
    let teller = NtfyTeller(settings, bridge, client)
    let presses = NtfyPresses(settings, bridge, client, teller)
    let reading = settings.mayAnswer ? Task { await presses.run() } : nil
    var fault: (any Error)?
    do { try await bridge.follow { try await teller.look() } } catch { fault = error }
    reading?.cancel()
    await client.close()
    if let fault { throw fault }
  }
}

/// The settings of a bridge to an ntfy server.
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
  /// The headers that authenticate the node at the server.
  let headers: [(String, String)]
  /// The authorization header that the phone's buttons send; `nil` if anyone may write to their
  /// topic.
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

  /// Returns the authorization header for a user with a password or, without a user, for a token.
  private static func authorization(_ user: String?, _ secret: String?) -> String? {
    guard let secret, !secret.isEmpty else { return nil }
    guard let user, !user.isEmpty else { return "Bearer \(secret)" }
    return "Basic " + Data("\(user):\(secret)".utf8).base64EncodedString()
  }

  /// Returns whether a text is a valid topic, long enough not to be guessed.
  private static func isTopic(_ text: String) -> Bool {
    (16...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }
}

/// The settings of a new receiver behind an ntfy server, with new topics and a new key.
///
/// Spec: Protocol/14-bridge.md §2.
public struct NtfySetup: Sendable {
  public struct Choice: Sendable {
    public var server: String
    public var text: String
    public var rights: [ReceiverRight]
    public var user: String?
    public var isInsecure: Bool

    public init(server: String, text: String, rights: [ReceiverRight], user: String?, isInsecure: Bool) {
      (self.server, self.text, self.rights, self.user, self.isInsecure) = (server, text, rights, user, isInsecure)
    }
  }

  /// The levels of detail that a parent can choose.
  public static let texts = NoticeDetail.allCases.map(\.rawValue)

  public let values: [String: String]
  public let secrets: [String: String]
  /// The address of the server, without a slash at its end.
  public let server: String
  /// The topic to which the phone subscribes.
  public let out: String
  /// The topic to which the phone's buttons post.
  public let `in`: String

  /// Creates the receiver with new topics of 128 random bits and a new key.
  ///
  /// `secret` is the password or token of the node's user at the server. `buttonToken` is the token
  /// that the phone's buttons send; `nil` if anyone may write to their topic.
  ///
  /// - Throws: `BridgeFault` for an address that cannot be used.
  public init(_ choice: Choice, secret: String?, buttonToken: String?) throws(BridgeFault) {
    guard let server = WebURL(choice.server) else {
      throw BridgeFault("The server is an address such as https://ntfy.example.org, without a user or password in it.")
    }
    guard !server.hasQuery else {
      throw BridgeFault(
        "The server is an address such as https://ntfy.example.org, without a query: leave out the question mark and "
          + "what follows it.")
    }
    guard server.isEncrypted || server.isLoopback || choice.isInsecure else {
      throw BridgeFault(
        "Without encryption, others in the network could read and answer along: give an https:// address, or add "
          + "`--insecure` if you mean it.")
    }
    (self.server, out, `in`) = (server.text, Self.topic(), Self.topic())
    var values = ["server": server.text, "out": out, "in": `in`, "text": choice.text]
    values["may"] = choice.rights.map(\.rawValue).joined(separator: ",")
    values["username"] = choice.user
    if choice.isInsecure { values["insecure"] = "yes" }
    var secrets = ["key": Hexadecimal.encode(SecureRandom.bytes(NtfySettings.keyBytes))]
    secrets["secret"] = secret
    secrets["buttonToken"] = buttonToken
    (self.values, self.secrets) = (values, secrets)
  }

  private static func topic() -> String { "lk" + Hexadecimal.encode(SecureRandom.bytes(16)) }
}
