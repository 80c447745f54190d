import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import LatchkeyTransport

/// The keys of a paired device under a test's control, which sends in a session what no real node
/// would.
struct RawPeer: Sendable {
  let identity: DeviceID
  private let link: LinkKeyPair
  private let pairwiseKey: PresharedKey
  private let peer: LinkPublicKey
  /// The protocol versions that it says it speaks.
  var versions = Version.protocolRange
  /// Fields of no known number that it adds to its Hello and to each batch.
  var laterFields = RawMessage()

  /// Takes over the keys of a node that is stopped and paired with one other.
  init(of node: NodeProcess) throws {
    let keys = try KeyFileStore(path: node.folder + "/identity.key").load()
    link = keys.link
    identity = DeviceKeys(identity: keys.identity.publicKey, link: keys.link.publicKey).deviceID
    let row = try node.read { try Row.fetchOne($0, sql: "SELECT pairwise_key, link_key FROM peer") }
    guard let row else { throw LabFault("the node is not paired") }
    pairwiseKey = try PresharedKey(bytes: [UInt8](row["pairwise_key"] as Data))
    peer = try LinkPublicKey(bytes: [UInt8](row["link_key"] as Data))
  }

  /// Opens a session at a port of loopback, sends batches, and reads until `count` receipts are in.
  ///
  /// A session that the other side renews is opened again, as a node does: what the killed node
  /// sent last may be stored only after the Hello that states what is.
  ///
  /// - Returns: the receipts, by command.
  func receipts(_ count: Int, port: UInt16, sending batches: [SessionBatch]) async throws -> [CommandID: CommandReceipt
    .Outcome]
  {
    let endpoint = SocketEndpoint(host: "127.0.0.1", port: port)
    for _ in 0..<10 {
      let receipts = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        await converse(connection, frames, count, batches)
      }
      if let receipts { return receipts }
    }
    throw LabFault("the other side renews every session")
  }

  /// Opens a session at a loopback port, states the streams, and returns the callee's Hello.
  func hello(port: UInt16, stating outgoing: [StreamPosition]) async throws -> Hello? {
    let endpoint = SocketEndpoint(host: "127.0.0.1", port: port)
    return try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
      let now = BootInstant(milliseconds: 0)
      guard var ends = await open(connection, frames, stating: outgoing), let frame = await frames.next() else {
        return nil
      }
      return try? ends.receiver.received(frame, now: now).hello
    }
  }

  /// Opens a session at a port of loopback and sends pings, reading nothing, until the session has
  /// been ended.
  ///
  /// - Returns: Whether it was ended within `count` pings.
  func pingWithoutReading(port: UInt16, atMost count: UInt64, until isEnded: @escaping @Sendable () -> Bool)
    async throws -> Bool
  {
    let endpoint = SocketEndpoint(host: "127.0.0.1", port: port)
    return try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
      guard var sender = await open(connection, frames)?.sender else { return false }
      let (drains, drained) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      connection.onDrained { drained.yield() }
      var room = drains.makeAsyncIterator()
      for number in 0..<count {
        if number.isMultiple(of: 1_000), isEnded() { return true }
        // The largest numbers have the longest answers.
        guard let frame = try? sender.seal(SessionCodec.encode(SessionBatch(ping: .max - number))) else { return false }
        connection.send(frame)
        while !connection.isWritable { await room.next() }
      }
      return isEnded()
    }
  }

  /// Shakes hands and says Hello.
  ///
  /// - Returns: what reads the other side's frames, and what seals this side's.
  private func open(
    _ connection: FrameConnection, _ frames: FrameReader, stating outgoing: [StreamPosition] = []
  ) async -> (receiver: SessionMachine, sender: NoiseTransport)? {
    let handshake = SessionInitiator(
      own: link, peer: peer, pairwiseKey: pairwiseKey, ephemeralKey: LinkKeyPair.generate())
    connection.send(handshake.firstFrame)
    let now = BootInstant(milliseconds: 0)
    guard let answer = await frames.next(), let transport = try? handshake.received(answer) else { return nil }
    connection.authenticated()
    var sender = transport
    let hello = Hello(
      versions: versions, runID: SecureRandom.bytes(16), name: "Test", role: .parent, outgoing: outgoing, incoming: [],
      keyID: SecureRandom.bytes(8))
    // Fields of a message that comes twice are merged, so that these are the Hello's, too.
    let later = RawMessage().adding(1, message: laterFields)
    let plaintext = SessionCodec.encode(SessionBatch(hello: hello)) + later.bytes + laterFields.bytes
    if let frame = try? sender.seal(plaintext) { connection.send(frame) }
    return (SessionMachine(transport: transport, now: now), sender)
  }

  /// Returns the receipts; `nil` if the other side renews the session.
  private func converse(
    _ connection: FrameConnection, _ frames: FrameReader, _ count: Int, _ batches: [SessionBatch]
  ) async -> [CommandID: CommandReceipt.Outcome]? {
    let now = BootInstant(milliseconds: 0)
    var receipts: [CommandID: CommandReceipt.Outcome] = [:]
    guard var (receiver, sender) = await open(connection, frames) else { return receipts }
    for batch in batches {
      if let frame = try? sender.seal(SessionCodec.encode(batch) + laterFields.bytes) { connection.send(frame) }
    }
    while receipts.count < count, let frame = await frames.next(), let batch = try? receiver.received(frame, now: now) {
      if batch.goodbye == .renew { return nil }
      for item in batch.runs.filter({ $0.streamClass == .receipt }).flatMap(\.items) {
        guard let receipt = try? MessageBodyCoding().receipt(item.body) else { continue }
        receipts[receipt.commandID] = receipt.outcome
      }
    }
    return receipts
  }
}
