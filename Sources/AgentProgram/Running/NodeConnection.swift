import LatchkeyAgentProtocol
import LatchkeySystem

/// The connection to the node, with the bytes that are queued for it.
final class NodeConnection {
  /// The most bytes that are queued; a node that does not read beyond that is disconnected.
  private static let mostWaiting = 8 << 20

  let socket: LocalSocket
  let peer: LocalSocket.Peer
  private var assembler = AgentFrameAssembler()
  private var waiting: [UInt8] = []
  /// A Boolean value that indicates whether the node has answered the greeting.
  var isWelcome = false

  init(_ socket: LocalSocket, _ peer: LocalSocket.Peer) {
    self.socket = socket
    self.peer = peer
  }

  /// A Boolean value that indicates whether any bytes are queued.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// Queues a frame, and sends it as soon as there is room; returns `false` if the connection must
  /// be closed.
  func send(_ frame: AgentFrame) -> Bool {
    guard let bytes = try? frame.bytes(), waiting.count + bytes.count <= Self.mostWaiting else { return false }
    waiting += bytes
    return flush()
  }

  /// Sends as many queued bytes as there is room for; returns `false` if the connection has ended.
  func flush() -> Bool {
    while !waiting.isEmpty {
      guard let count = socket.write(waiting[...]) else { return false }
      if count == 0 { return true }
      waiting.removeFirst(count)
    }
    return true
  }

  /// Returns the frames that have arrived; `nil` if the connection must be closed.
  func receive() -> [AgentFrame]? {
    guard let bytes = socket.read() else { return nil }
    assembler.append(bytes)
    var frames: [AgentFrame] = []
    do {
      while let frame = try assembler.next() { frames.append(frame) }
    } catch { return nil }
    return frames
  }
}
