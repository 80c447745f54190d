import Synchronization

@testable import LatchkeyBridge

/// A server that may be away, and shows what it was sent.
final class ScriptedServer: WebPosting {
  private struct State {
    var isAway = false
    var losesAnswers = false
    var atTaking: (@Sendable () -> Void)?
    var tries = 0
    var bodies: [String] = []
  }

  private let state = Mutex(State())
  /// What it answers to a message that it takes.
  private let body: String

  init(body: String = #"{"sequence_id":"x"}"#) { self.body = body }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }
  /// A Boolean value that indicates whether it takes what it is sent, and its answers are lost.
  var losesAnswers: Bool {
    get { state.withLock { $0.losesAnswers } }
    set { state.withLock { $0.losesAnswers = newValue } }
  }
  /// What happens after it has taken something, before it answers.
  var atTaking: (@Sendable () -> Void)? {
    get { state.withLock { $0.atTaking } }
    set { state.withLock { $0.atTaking = newValue } }
  }
  /// The times that it was called.
  var tries: Int { state.withLock { $0.tries } }
  /// What it has taken.
  var bodies: [String] { state.withLock { $0.bodies } }

  func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8]) async -> Result<WebAnswer, WebFault> {
    let (isAway, losesAnswers, atTaking) = state.withLock { state in
      state.tries += 1
      if !state.isAway { state.bodies.append(String(decoding: body, as: UTF8.self)) }
      return (state.isAway, state.losesAnswers, state.atTaking)
    }
    if !isAway { atTaking?() }
    if !isAway, losesAnswers { return .failure(.interrupted) }
    return isAway ? .failure(.refused) : .success(WebAnswer(status: 200, body: [UInt8](self.body.utf8)))
  }
}

/// A clock that a test moves.
final class TestClock: Sendable {
  private let instant = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { instant.withLock { $0 } }

  func advance(by duration: Duration) { instant.withLock { $0 += duration } }
}
