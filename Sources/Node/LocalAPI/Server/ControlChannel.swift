import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection to the local API: the framework's HTTP/1.1 channel, with this API's body in each
/// error that it answers itself.
struct ControlChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let counter: ConnectionCounter

  init(responder: @escaping HTTPChannelHandler.Responder, counter: ConnectionCounter) {
    self.counter = counter
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .seconds(30)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    counter.admit(channel).flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(MalformedRequestHandler(), position: .after(decoder))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
