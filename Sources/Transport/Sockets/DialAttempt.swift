import NIOCore
import Synchronization

/// A connection on its way, which can be given up before it has come about.
final class DialAttempt: Sendable {
  private struct State {
    var channel: (any Channel)?
    var isGivenUp = false
  }

  private let state = Mutex(State())

  /// The socket is there; the connection is not yet.
  func began(_ channel: any Channel) {
    let isGivenUp = state.withLock { state in
      state.channel = channel
      return state.isGivenUp
    }
    if isGivenUp { channel.close(promise: nil) }
  }

  /// Nobody waits for it any more.
  func giveUp() {
    let channel = state.withLock { state in
      state.isGivenUp = true
      return state.channel
    }
    channel?.close(promise: nil)
  }
}
