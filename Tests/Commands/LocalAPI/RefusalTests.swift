import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the server's answers to requests that it cannot fulfil.
@Suite struct RefusalTests {
  @Test(arguments: [
    ("POST", "/v1/pairing/invitations", "{"), ("POST", "/v1/pairing/joins", "{\"code\":\"LK1SECRET\"}"),
    ("POST", "/v1/pairing/p1/answer", "[]"),
    ("POST", "/v1/commands", "{\"device\":\"x\",\"kind\":\"dance\",\"payload\":{}}"),
    ("POST", "/v1/usage/sessions", ""),
  ])
  func malformedJSONIsRefusedWithoutBeingQuoted(method: String, target: String, body: String) async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let (status, error) = try await served.ask(method, target, body: body)
      #expect(status == 400)
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("SECRET") == false)
    }
    #expect(node.calls.isEmpty)
  }

  @Test(arguments: [
    "/", "/v1", "/v2/status", "/status", "/v1/nothing", "/v1/status/x", "/v1/devices/a/b", "/v1/pairing/p/answer/x",
    "/v1/commands/1/waits", "/v1/usage/sessions/1/ends", "/v1/usage/other",
  ])
  func anUnknownPathIsNotFound(target: String) async throws {
    try await ServedNode.with(ScriptedNode()) { served in
      let (status, error) = try await served.ask("GET", target)
      #expect(status == (target == "/" ? 400 : 404))
      #expect(error?.code == .invalid)
    }
  }

  @Test(arguments: ["/v1//status", "/v1/devices/%", "/v1/devices/%2", "/v1/devices/%zz", "/v1/devices/%ff", "//", "*"])
  func aMalformedPathIsRefused(target: String) {
    do {
      _ = try RequestTarget(checking: target)
      Issue.record("\(target) was taken")
    } catch { #expect(error.status == 400) }
  }

  @Test(arguments: [
    ("PUT", "/v1/status", "GET"), ("POST", "/v1/devices/x", "DELETE"), ("GET", "/v1/pairing/joins", "POST"),
    ("PATCH", "/v1/commands", "GET, POST"), ("POST", "/v1/pairing/p1", "DELETE, GET"), ("DELETE", "/v1/usage", "GET"),
    ("HEAD", "/v1/status", "GET"),
  ])
  func aWrongMethodIsToldTheRightOnes(method: String, target: String, allow: String) async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let answer = try await served.raw("\(method) \(target) HTTP/1.1\r\nhost: x\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 405 "))
      #expect(answer.lowercased().contains("\r\nallow: \(allow.lowercased())\r\n"))
      #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    }
    #expect(node.calls.isEmpty)
  }

  @Test(arguments: [
    "/v1/commands?limit=x", "/v1/commands?limit=", "/v1/usage?from=1.5", "/v1/usage?to=99999999999999999999",
    "/v1/pairing/p1?after=one", "/v1/commands?limit=%", "/v1/queue/x/command/one", "/v1/queue/x/command/-1",
    "/v1/queue/x/dance/1", "/v1/queue?class=dance", "/v1/commands?limit=0", "/v1/commands?limit=10001",
    "/v1/queue?limit=-1", "/v1/usage?limit=0",
  ])
  func aNumberThatIsNoneIsRefused(target: String) async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let (status, error) = try await served.ask("GET", target)
      #expect(status == 400)
      #expect(error?.code == .invalid)
    }
    #expect(node.calls.isEmpty)
  }

  @Test(arguments: [
    ("/v1/pairing/invitations", "{}", "lacks `acceptWithoutAsking`"),
    (
      "/v1/commands", #"{"device":"x","kind":"madeUp","payload":{}}"#,
      "no command of kind “madeUp”: give one of"
    ),
    ("/v1/commands", #"{"device":"x","kind":"message","payload":{}}"#, "lacks `payload.text`"),
    ("/v1/commands", #"{"device":"x","kind":"message","payload":{"text":7}}"#, "The value of `payload.text`"),
    ("/v1/commands", #"{"device":"x"}"#, "lacks `kind`"), ("/v1/commands", "[]", "not the JSON expected"),
    ("/v1/pairing/joins", #"{"code":["LK1SECRET"],"acceptWithoutAsking":true}"#, "The value of `code`"),
  ]) func aFaultOfABodyNamesTheMember(target: String, body: String, words: String) async throws {
    try await ServedNode.with(ScriptedNode()) { served in
      let (status, error) = try await served.ask("POST", target, body: body)
      #expect(status == 400 && error?.code == .invalid)
      #expect(error?.message.contains(words) == true && error?.message.contains("SECRET") == false, "\(error as Any)")
    }
  }

  @Test func unknownNamesInAQueryAreIgnoredAndTheLastOfARepeatedOneHolds() async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let (status, _) = try await served.ask("GET", "/v1/commands?limit=3&colour=red&limit=4&device=%C3%A4+b")
      #expect(status == 200)
    }
    #expect(node.calls == [.ask(Endpoints.getCommands, ("ä+b", 4))])
  }

  @Test func aBodyOverTheLimitIsRefusedAndOneOfJustTheLimitIsNot() async throws {
    func request(bytes: Int) -> String {
      // An unknown member is ignored.
      let (start, end) = ("{\"kind\":\"message\",\"payload\":{\"text\":\"m\"},\"device\":\"x\",\"more\":\"", "\"}")
      return start + String(repeating: "m", count: bytes - start.utf8.count - end.utf8.count) + end
    }
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let (status, _) = try await served.ask("POST", "/v1/commands", body: request(bytes: LocalJSON.requestBytes))
      #expect(status == 201)
      for bytes in [LocalJSON.requestBytes + 1, 8 << 20] {
        let body = request(bytes: bytes)
        let answer = try await served.raw(
          "POST /v1/commands HTTP/1.1\r\nhost: x\r\ncontent-length: \(bytes)\r\n\r\n" + body)
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
      }
    }
    #expect(node.calls.count == 1)
  }

  @Test func aConnectionCarriesSeveralRequests() async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let answer = try await served.raw(
        "GET /v1/settings HTTP/1.1\r\nhost: x\r\n\r\nGET /v1/apps HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    }
    #expect(node.calls == [.ask(Endpoints.getSettings), .ask(Endpoints.getApps, nil)])
  }

  @Test func whatIsNotHTTPEndsTheConnection() async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      _ = try await served.raw("\u{16}\u{3}\u{1} hello\r\n\r\n")
      let settings = try await served.client.ask(Endpoints.getSettings)
      #expect(settings == SampleValues.settings)
    }
    #expect(node.calls == [.ask(Endpoints.getSettings)])
  }
}
