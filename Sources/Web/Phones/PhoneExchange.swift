import HummingbirdCore
import NIOCore

/// A request of a phone and its answer, within bounds of number and time.
///
/// Anybody in the network may send a form a byte at a time, or take no byte of an answer. Neither
/// keeps the room of others for long, nor the memory of this process.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneExchange: Sendable {
  /// How long a form may take to arrive.
  private static let formPatience: TimeAmount = .seconds(10)
  /// How long an answer may take to be read.
  private static let answerPatience: TimeAmount = .seconds(30)

  let counter: PhoneCounter
  let feed: ChangeFeed

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - writer: What writes the answer.
  ///   - channel: The connection, or the stream of one by HTTP/2.
  ///   - answer: Returns the answer.
  /// - Throws: An error of the connection.
  func run(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel,
    _ answer: @Sendable (WebRequest) async -> WebAnswer
  ) async throws {
    let address = channel.remoteAddress?.ipAddress ?? ""
    // A connection has the listener above it, and a stream by HTTP/2 its connection.
    let isStream = channel.parent?.parent != nil
    guard counter.ask(address) else {
      // The rest of its form is not waited for.
      defer { if isStream { channel.close(promise: nil) } }
      let refusal = WebAnswer(503, [("Retry-After", "1"), ("Cache-Control", "no-store")])
      let response = refusal.response(to: request, door: nil, feed: feed)
      try await writer.write(response: response.head, body: response.body)
      return
    }
    var asked = WebRequest(request, from: address)
    let body = asked.body
    asked.body = {
      let deadline = channel.eventLoop.scheduleTask(in: Self.formPatience) { channel.close(promise: nil) }
      defer { deadline.cancel() }
      return try await body()
    }
    let answer = await answer(asked)
    let response = answer.response(to: request, door: nil, feed: feed)
    if case .changes = answer.body {
      // A stream of changes is open for as long as its page.
      counter.answered(address)
      try await writer.write(response: response.head, body: response.body)
      return
    }
    let deadline = channel.eventLoop.scheduleTask(in: Self.answerPatience) { channel.close(promise: nil) }
    if isStream {
      // What was written stays in memory until the phone takes it, and the stream ends with that.
      let counter = counter
      channel.closeFuture.whenComplete { _ in
        deadline.cancel()
        counter.answered(address)
      }
      try await writer.write(response: response.head, body: response.body)
    } else {
      defer {
        deadline.cancel()
        counter.answered(address)
      }
      try await writer.write(response: response.head, body: response.body)
    }
  }
}
