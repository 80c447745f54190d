import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The node's end of a connection to its agent.
actor AgentLink {
  /// Milliseconds after which an agent that does not read is given up.
  private static let patience = 5_000

  private let socket: LocalSocket
  private var waiting: [UInt8] = []
  private var isFlushing = false
  private var isBroken = false

  init(_ socket: LocalSocket) { self.socket = socket }

  /// Sends a frame; returns `false` if the connection is of no use any more.
  @discardableResult
  func send(_ frame: AgentFrame) async -> Bool {
    guard let bytes = try? frame.bytes(), !isBroken else { return false }
    waiting += bytes
    // The call that is sending sends this as well.
    guard !isFlushing else { return true }
    isFlushing = true
    defer { isFlushing = false }
    var pauses = 0
    while !waiting.isEmpty {
      guard let count = socket.write(waiting[...]), pauses < Self.patience / 5 else {
        isBroken = true
        return false
      }
      waiting.removeFirst(count)
      if count > 0 {
        pauses = 0
        continue
      }
      pauses += 1
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// The bytes that arrive, in pieces, until the connection ends or the reader stops.
  ///
  /// While many pieces wait, no more are read. If none is taken for long, the connection counts as
  /// ended: the agent tells again what was not stored.
  nonisolated func bytes() -> AsyncStream<[UInt8]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.mostPieces))
    let socket = socket
    // The thread waits without an end, so that an idle node does not wake: what has come to an end
    // wakes it.
    continuation.onTermination = { _ in shutdown(socket.descriptor, Int32(SHUT_RD)) }
    // On a thread of its own, since waiting blocks it.
    Thread.detachNewThread {
      var ready = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        guard poll(&ready, 1, -1) > 0 else { continue }
        guard let bytes = socket.read() else { break }
        guard bytes.isEmpty || Self.give(bytes, to: continuation) else { break }
      }
      continuation.finish()
    }
    return stream
  }

  /// Queues a piece; returns whether there was room for it in time.
  private static func give(_ bytes: [UInt8], to continuation: AsyncStream<[UInt8]>.Continuation) -> Bool {
    for _ in 0..<patience / 5 {
      switch continuation.yield(bytes) {
      case .enqueued: return true
      case .dropped: usleep(5_000)
      default: return false
      }
    }
    return false
  }

  private static let mostPieces = 64

  /// Sends the orders whenever they are others than before.
  nonisolated func giveOrders(of context: NodeContext) async {
    var given: UInt64?
    await context.enforcementState.changes.first {
      if context.enforcementState.agent != nil,
        let orders = context.enforcementState.orders(boot: context.bootID, at: context.now()), orders.number != given
      {
        do {
          try orders.check()
          _ = try AgentFrame.orders(orders).bytes()
          context.warn("agent-size", nil)
          context.enforcementState.setTooLarge(false)
          guard await send(.orders(orders)) else { return () }
        } catch {
          context.warn("agent-size", OrderFault(.tooLarge, account: 0).sentence)
          context.enforcementState.setTooLarge(true)
        }
        given = orders.number
      }
      return nil
    }
  }
}
