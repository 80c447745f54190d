import LatchkeyModel
import LatchkeyProtocol
import Testing

@testable import LatchkeyNode

/// What a child asks for with a key, which is asked for once: Protocol/07-local-api.md §1.
@Suite struct KeyedRequestTests {
  @Test("The ID of what is asked for follows from the key, the child and what it is")
  func bytes() async throws {
    try await HomeNode.with(children: ["Emma", "Ben"]) { home in
      func bytes(_ key: String?, _ what: String, _ child: Int) throws -> [UInt8]? {
        var caller = Caller(principal: .root, userID: 0)
        caller.key = key
        let call = try #require(home.node(caller) as? Call)
        return call.keyedBytes(what, of: home.children[child])
      }
      let first = try bytes("a1-ask", "request", 0)
      #expect(try first?.count == 16 && first == bytes("a1-ask", "request", 0))
      let others = try [bytes("a2-ask", "request", 0), bytes("a1-ask", "redemption", 0), bytes("a1-ask", "request", 1)]
      #expect(!others.contains(first) && Set(others).count == 3)
      let text = "request \(home.service.context.own) \(home.children[0]) a1-ask"
      #expect(first == Array(SHA256.hash(Array(text.utf8)).prefix(16)), "It is no other machine's.")
      #expect(try bytes(nil, "request", 0) == nil, "Without a key, each request is a new one.")
    }
  }
}
