import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// The connection of one session, with what its frames are sealed with.
struct LinkSeat {
  let connection: FrameConnection
  var cipher: SessionCipher
  /// The stranger's place it came in through, until its first message is verified.
  let ticket: StrangerTicket?
  /// The task that reads its frames, while the next frame may not be taken.
  var reader: CheckedContinuation<Void, Never>?
}

/// The last try at an address that failed.
struct FailedTry: Sendable {
  /// Unix milliseconds; for people only.
  var at: Int64
  var reason: String
  /// When it was last written down, by the clock for decisions; nil when it was not.
  var notedAt: BootInstant?
}
