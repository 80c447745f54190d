import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// The connection of one session, with the cipher for its frames.
struct LinkSeat {
  let connection: FrameConnection
  var cipher: SessionCipher
  /// Its place among unauthenticated connections, until its first message is verified.
  let ticket: StrangerTicket?
  /// The task that reads its frames, while it must wait before the next one.
  var reader: CheckedContinuation<Void, Never>?
}

/// The last failed attempt to reach an address.
struct FailedTry: Sendable {
  /// The time in Unix milliseconds, for people only.
  var at: Int64
  var reason: String
  /// The time at which it was last stored, by the clock for decisions; `nil` if it was not.
  var notedAt: BootInstant?
}
