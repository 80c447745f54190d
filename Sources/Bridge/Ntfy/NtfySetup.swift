import LatchkeyModel
import LatchkeyProtocol

/// A new receiver behind an ntfy server: its topics, its key, and what its bridge has to know.
///
/// Spec: Protocol/14-bridge.md §2.
public struct NtfySetup: Sendable {
  /// What a parent chooses.
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

  /// The texts that a parent can choose.
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
  /// - Parameters:
  ///   - choice: What the parent has chosen.
  ///   - secret: The password or token of the node's user at the server.
  ///   - buttonToken: The token that the phone's buttons send; `nil` if anybody may write to their
  ///     topic.
  /// - Throws: `BridgeFault`, the parent's fault, for an address that cannot be used.
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
