import Hummingbird
import NIOCore

/// What the server knows of one request: who asks, and for what.
struct ControlRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// Who asks.
  var caller = Caller(principal: .account, userID: .max)
  /// What is asked for, decoded.
  var target = RequestTarget(segments: [])

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  var maxUploadSize: Int { LocalJSON.requestBytes }

  /// Asks the kernel who connected; returns `nil` if it does not tell.
  func credentials() async -> PeerCredentials? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    // SOL_SOCKET and SO_PEERCRED, which fills a `struct ucred`: the layout of `PeerCredentials`.
    return try? await provider.unsafeGetSocketOption(
      level: NIOBSDSocket.OptionLevel(rawValue: 1), name: NIOBSDSocket.Option(rawValue: 17)
    ).get()
  }
}
