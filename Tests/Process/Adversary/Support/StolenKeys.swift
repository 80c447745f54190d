import Foundation
import GRDB
import LatchkeyNode
import LatchkeyProtocol

/// The content of a node's folder in an attacker's hands: its own keys, and the key that it shares
/// with one peer.
struct StolenKeys: Sendable {
  /// How far a session came.
  enum Reception: Equatable, Sendable {
    /// Nothing was answered.
    case silence
    /// The handshake was answered, and nothing after it.
    case answeredAndDropped
    /// The peer said something under the session's key.
    case received
  }

  let link: LinkKeyPair
  let pairwiseKey: PresharedKey
  let peer: LinkPublicKey

  /// Reads the keys in the folder of a stopped node, or in a copy.
  init(of node: NodeProcess) throws {
    link = try KeyFileStore(path: node.folder + "/identity.key").load().link
    let row = try node.read { try Row.fetchOne($0, sql: "SELECT pairwise_key, link_key FROM peer") }
    guard let row else { throw LabFault("\(node.name) was never paired") }
    pairwiseKey = try PresharedKey(bytes: [UInt8](row["pairwise_key"] as Data))
    peer = try LinkPublicKey(bytes: [UInt8](row["link_key"] as Data))
  }

  /// Dials the peer, sends a Hello and returns the reaction; `key` replaces the pairwise key that
  /// was found.
  func call(port: UInt16, key: PresharedKey? = nil) async throws -> Reception {
    let stream = try ByteStream(port: port)
    let handshake = SessionInitiator(
      own: link, peer: peer, pairwiseKey: key ?? pairwiseKey, ephemeralKey: .generate())
    stream.write(Preamble.session.bytes)
    stream.write(frame: handshake.firstFrame)
    guard let answer = await onThread({ stream.readFrame() }) else { return .silence }
    guard var transport = try? handshake.received(answer) else {
      // A peer with another pairwise key sends frames that cannot be decrypted.
      stream.write(frame: SecureRandom.bytes(64))
      return await onThread { stream.readFrame() } == nil ? .answeredAndDropped : .received
    }
    stream.write(frame: try transport.seal([]))
    guard let said = await onThread({ stream.readFrame() }) else { return .answeredAndDropped }
    return (try? transport.open(said)) == nil ? .answeredAndDropped : .received
  }
}
