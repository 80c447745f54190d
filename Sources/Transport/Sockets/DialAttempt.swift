import NIOCore
import Synchronization

/// A call, which can be given up while its connection is on its way and after that.
public final class DialAttempt: Sendable {
  private struct State {
    var channel: (any Channel)?
    var isGivenUp = false
  }

  private let state = Mutex(State())

  public init() {}

  /// The socket is there; the connection is not yet.
  func began(_ channel: any Channel) {
    let isGivenUp = state.withLock { state in
      state.channel = channel
      return state.isGivenUp
    }
    if isGivenUp { channel.close(promise: nil) }
  }

  /// Nobody waits for it any more.
  public func giveUp() {
    let channel = state.withLock { state in
      state.isGivenUp = true
      return state.channel
    }
    channel?.close(promise: nil)
  }
}
