import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// A session that was opened and is not noted in the database yet.
struct Sighting: Sendable {
  /// `host:port` if we dialled.
  var address: String?
  var pairwiseKey: [UInt8]
  /// The key of a half-made pairing that our call offered; nil when it offered none, or the peer called.
  var offeredKey: [UInt8]?
}

/// One session of a link, from the end of its handshake on.
struct LinkSession {
  var machine: SessionMachine
  let connection: FrameConnection
  let isInitiator: Bool
  /// The stranger's place it came in through, until its first message is verified.
  let ticket: StrangerTicket?
  /// The PSK it was opened with, 32 bytes: only one with a pending pairing's key completes that pairing.
  let pairwiseKey: [UInt8]
  /// The key of a half-made pairing that our call offered; nil when it offered none, or the peer called.
  let offeredKey: [UInt8]?
  let openedAt: BootInstant
  /// Wakes the tasks that do a session's work.
  let outboxWork: AsyncStream<Void>.Continuation
  let inboxWork: AsyncStream<Void>.Continuation
  let forgetWork: AsyncStream<Void>.Continuation
  /// Wakes the task that keeps its time.
  let clock = ChangeSignal()
  /// Where the peer was told that we can be called; nil until it was.
  var reach: [[UInt8]]?
}
