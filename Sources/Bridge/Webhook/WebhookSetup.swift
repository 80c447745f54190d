import LatchkeyModel
import LatchkeyProtocol

/// A new webhook: its key, and what its bridge has to know.
///
/// Spec: Protocol/14-bridge.md §3.
public struct WebhookSetup: Sendable {
  public let values: [String: String]
  public let secrets: [String: String]

  /// Creates the receiver.
  ///
  /// - Parameters:
  ///   - url: The address that is called.
  ///   - text: One of `NtfySetup.texts`.
  ///   - key: The key of the signatures, at least 16 bytes; `nil` for a new one.
  ///   - isPrivate: Whether addresses of this machine and its network may be called.
  ///   - isInsecure: Whether calls may go over the network without encryption.
  /// - Throws: `BridgeFault`, the parent's fault, for an address or a key that cannot be used.
  public init(url: String, text: String, key: String?, isPrivate: Bool, isInsecure: Bool) throws(BridgeFault) {
    guard let address = WebURL(url) else {
      throw BridgeFault("The URL is an address such as https://example.org/hook, without a user or password in it.")
    }
    guard address.isEncrypted || address.isLoopback || isInsecure else {
      throw BridgeFault(
        "Without encryption, others in the network could read along: give an https:// address, or add `--insecure` if "
          + "you mean it.")
    }
    let literal = NetworkAddress(address.host)
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
