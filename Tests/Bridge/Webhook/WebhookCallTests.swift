import Foundation
import LatchkeyModel
import LatchkeyProtocol
import Testing

@testable import LatchkeyBridge

@Suite("Calls of webhooks")
struct WebhookCallTests {
  private func members(_ call: WebhookCall) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any])
  }

  @Test("The body has the notice's members, without names at the bare level")
  func body() throws {
    let bare = try members(WebhookCall(try Sample.asked(), [try Sample.request()], try Sample.webhook()))
    #expect(Set(bare.keys) == ["number", "kind", "sentence", "requests", "at", "isOver"])
    #expect(bare["sentence"] as? String == "A child asks for time." && bare["kind"] as? String == "asked")
    let names = try members(
      WebhookCall(try Sample.asked(), [try Sample.request()], try Sample.webhook(["text": "names"])))
    #expect(names["child"] as? String == "Emma" && names["device"] as? String == "Emma's PC")
    #expect(names["requests"] as? [String] == [Sample.ids[0].description] && names["isOver"] as? Bool == false)
    var over = try Sample.asked()
    over.isOver = true
    let no = try Sample.request(state: .denied, answer: #""isApproved":false"#)
    #expect(try members(WebhookCall(over, [no], try Sample.webhook()))["sentence"] as? String == "Answered: no.")
  }

  @Test("The signature is HMAC-SHA-256 over the time, a dot and the body")
  func signature() throws {
    let settings = try Sample.webhook()
    let call = WebhookCall(try Sample.asked(), [try Sample.request()], settings)
    let headers = Dictionary(uniqueKeysWithValues: call.headers(at: 1_795_938_000, key: settings.key))
    let code = HMACSHA256.authenticate(key: settings.key, message: Array("1795938000.".utf8) + call.body)
    #expect(headers["x-latchkey-signature"] == "t=1795938000,v1=\(Hexadecimal.encode(code))")
    #expect(headers["x-latchkey-delivery"]?.utf8.count == 32)
  }

  @Test("A delivery's name is the same in each try, and differs between notices and when a question is over")
  func delivery() throws {
    let settings = try Sample.webhook()
    let (first, again) = (try Sample.asked(), try Sample.asked())
    var (over, next) = (first, first)
    over.isOver = true
    next.number += 1
    let names = [first, again, over, next].map { WebhookCall($0, [], settings).delivery }
    #expect(names[0] == names[1] && Set(names).count == 3)
  }

  @Test("Settings that are no good are refused with a sentence")
  func settings() throws {
    for values in [
      ["url": "example.org"], ["url": "http://example.org"], ["url": "http://127.0.0.1/"], ["text": "all"],
    ] {
      #expect(throws: BridgeFault.self, "\(values)") { try Sample.webhook(values) }
    }
    #expect(try Sample.webhook(["url": "http://127.0.0.1/", "private": "yes"]).isPrivate)
    for url in [
      "https://127.0.0.1/", "https://[::1]/", "https://localhost/", "https://10.0.0.1/", "http://example.org",
    ] {
      #expect(throws: BridgeFault.self, "\(url)") {
        try WebhookSetup(url: url, text: "bare", key: nil, isPrivate: false, isInsecure: false)
      }
    }
    let made = try WebhookSetup(
      url: "https://example.org/x", text: "bare", key: nil, isPrivate: false, isInsecure: false)
    #expect(made.secrets["key"]?.utf8.count == 64)
  }

  @Test("An address in the network is not called, whatever its name is")
  func privateAddress() async throws {
    let settings = try Sample.webhook(["url": "https://localhost:1/"])
    let answer = await WebhookCaller(settings: settings).send(WebhookCall(try Sample.asked(), [], settings))
    guard case .failure(.privateAddress) = answer else { return #expect(Bool(false), "\(answer)") }
  }

  @Test("Each refusal is a sentence", arguments: [301, 400, 401, 404, 410, 413, 429, 500])
  func faults(_ status: Int) {
    let sentence = WebhookTeller.sentence(status, of: "https://example.org")
    #expect(sentence.hasPrefix("https://example.org") && sentence.hasSuffix("."))
  }
}
