import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// One session of a link, from the end of its handshake on.
struct LinkSession {
  var machine: SessionMachine
  let connection: FrameConnection
  let isInitiator: Bool
  /// The stranger's place it came in through, until its first message is verified.
  let ticket: StrangerTicket?
  var preference: SessionPreference
  /// Wakes the tasks that do a session's work.
  let outboxWork: AsyncStream<Void>.Continuation
  let inboxWork: AsyncStream<Void>.Continuation
  let forgetWork: AsyncStream<Void>.Continuation
}
