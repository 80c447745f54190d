import NIOCore
import Synchronization

/// A call, which can be cancelled before and after its connection is established.
public final class DialAttempt: Sendable {
  private struct State {
    var channel: (any Channel)?
    var isGivenUp = false
  }

  private let state = Mutex(State())

  public init() {}

  /// Records that the socket exists, before the connection is established.
  func began(_ channel: any Channel) {
    let isGivenUp = state.withLock { state in
      state.channel = channel
      return state.isGivenUp
    }
    if isGivenUp { channel.close(promise: nil) }
  }

  /// Cancels the call.
  public func giveUp() {
    let channel = state.withLock { state in
      state.isGivenUp = true
      return state.channel
    }
    channel?.close(promise: nil)
  }
}
