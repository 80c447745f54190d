import CProcess
import Glibc

/// The owner of a TCP socket of this machine, which the kernel looks up alone.
///
/// A look at `/proc/net/tcp` for the same costs as much as there are sockets, and as there is room
/// for.
public enum TCPSocketOwner {
  /// What the kernel says of a socket.
  public enum Answer: Hashable, Sendable {
    /// A socket with an established connection, of the account with a number.
    case connected(account: UInt32)
    /// A socket in any other state, or one that listens.
    case otherwise
    /// No such socket, or a kernel that does not answer such questions.
    case none
  }

  /// Asks the kernel about the socket with two ends.
  ///
  /// - Parameters:
  ///   - own: The address and port of the socket itself.
  ///   - other: The address and port to which it is connected; of the same version.
  /// - Returns: The answer.
  public static func ask(_ own: (address: IPAddress, port: UInt16), _ other: (address: IPAddress, port: UInt16))
    -> Answer
  {
    guard own.address.bytes.count == other.address.bytes.count else { return .none }
    var account: uid_t = 0
    let state = latchkey_tcp_owner(
      own.address.bytes.count, own.address.bytes, own.port, other.address.bytes, other.port, &account)
    switch state {
    case 1: return .connected(account: account)  // TCP_ESTABLISHED
    case ..<0: return .none
    default: return .otherwise
    }
  }
}
