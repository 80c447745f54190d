import Hummingbird
import NIOCore

/// The caller and the target of one request.
struct ControlRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  var caller = Caller(principal: .account, userID: .max)
  var target = RequestTarget(segments: [])

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  var maxUploadSize: Int { LocalJSON.requestBytes }

  /// Returns the kernel's description of the caller; `nil` if it is not available.
  func credentials() async -> PeerCredentials? {
    try? await channel.peerCredentials().get()
  }
}

extension Channel {
  /// Returns the kernel's description of the process at the other end; fails if it is not
  /// available.
  func peerCredentials() -> EventLoopFuture<PeerCredentials> {
    guard let provider = self as? any SocketOptionProvider else {
      return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    // SOL_SOCKET and SO_PEERCRED, which fills a `struct ucred`: the layout of `PeerCredentials`.
    return provider.unsafeGetSocketOption(
      level: NIOBSDSocket.OptionLevel(rawValue: 1), name: NIOBSDSocket.Option(rawValue: 17))
  }
}
