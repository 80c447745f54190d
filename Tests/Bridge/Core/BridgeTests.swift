import LatchkeyModel
import LatchkeyNode
import Logging
import Testing

@testable import LatchkeyBridge

@Suite struct BridgeTests {
  @Test("A notice never comes without its request, whenever the child asks", arguments: 0...3)
  func racing(_ calls: Int) async throws {
    let node = RacingNode(try Sample.request(), try Sample.asked(), after: calls)
    let bridge = Bridge("phone", logger: Logger(label: "test")) { _ in node }
    for _ in 0..<3 {
      let (told, requests) = try await bridge.news(withRequests: true)
      for notice in told.notices {
        #expect(Set(notice.requests).isSubset(of: requests.map(\.requestID)), "after \(calls) calls")
      }
    }
    #expect(try await bridge.news(withRequests: false).requests.count == 1)
  }

  @Test("After a look, a bridge waits for a change, for the end of a question's day, or of quiet hours")
  func rest() async throws {
    let node = RacingNode(try Sample.request(), try Sample.asked(), after: 0)
    let bridge = Bridge("phone", logger: Logger(label: "test")) { _ in node }
    func rest(quietUntil: Int64? = nil, hasQuestions: Bool = false) async throws -> Duration? {
      let news = ParentNotices(notices: [], position: 0, quietUntil: quietUntil)
      return try await bridge.rest(after: news, hasQuestions: hasQuestions)
    }
    #expect(try await rest() == nil)
    #expect(try await rest(hasQuestions: true) == .seconds(600))
    #expect(try await rest(quietUntil: 0) == .seconds(1))
    #expect(try await rest(quietUntil: .max / 2) == .seconds(3_600))
  }

  @Test("What is looked at again is looked at after the look that is under way", .timeLimit(.minutes(1)))
  func again() async throws {
    let node = RacingNode(try Sample.request(), try Sample.asked(), after: 0)
    let bridge = Bridge("phone", logger: Logger(label: "test")) { _ in node }
    let (looks, looked) = AsyncStream<Void>.makeStream()
    let following = Task {
      try await bridge.follow {
        looked.yield()
        return nil
      }
    }
    var count = 0
    for await _ in looks {
      count += 1
      if count == 3 { break }
      bridge.lookAgain()
    }
    following.cancel()
    _ = await following.result
  }
}
