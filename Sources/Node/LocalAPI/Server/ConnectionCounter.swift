import NIOCore
import Synchronization

/// A limit on the connections that each account has open at the same time.
///
/// An account that may ask little must not take the node's open files away from the family.
///
/// Spec: Protocol/07-local-api.md §1.
package final class ConnectionCounter: Sendable {
  /// The most connections of an account other than root and the node's user.
  package static let most = 64

  private let user: UInt32
  private let open = Mutex<[UInt32: Int]>([:])

  /// Creates a counter for the node of a user.
  init(user: UInt32) { self.user = user }

  /// Counts a connection until it is closed; fails, which closes it, if its account has too many.
  func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = channel.peerCredentials().flatMapThrowing { credentials in
      let account = credentials.userID
      if account == 0 || account == self.user { return }
      guard self.begin(account) else { throw ChannelError.operationUnsupported }
      channel.closeFuture.whenComplete { _ in self.end(account) }
    }
    // The server leaves a connection open whose setup has failed.
    admission.whenFailure { _ in channel.close(promise: nil) }
    return admission
  }

  /// Counts one connection more; returns `false`, without counting it, if there are too many.
  func begin(_ account: UInt32) -> Bool {
    open.withLock { open in
      guard open[account, default: 0] < Self.most else { return false }
      open[account, default: 0] += 1
      return true
    }
  }

  func end(_ account: UInt32) {
    open.withLock { open in
      let rest = open[account, default: 0] - 1
      open[account] = rest > 0 ? rest : nil
    }
  }
}
