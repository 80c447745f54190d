import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the server's answers to malformed requests: never 500, and always this API's body.
@Suite struct MalformedRequestTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    let name: String
    let status: Int
    let request: String
    /// A Boolean value that indicates whether the caller ends its direction before the request is
    /// complete.
    var endsThere = false

    var testDescription: String { name }
  }

  private static let post = "POST /v1/commands HTTP/1.1\r\nhost: x\r\n"
  private static let get = "GET /v1/settings HTTP/1.1\r\nhost: x\r\n"
  private static let long = String(repeating: "a", count: 100_000)

  static let samples: [Sample] = [
    // The request line.
    Sample(name: "no HTTP", status: 501, request: "\u{16}\u{3}\u{1} hello\r\n\r\n"),
    Sample(name: "unknown method", status: 501, request: "DANCE /v1/status HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "lower-case method", status: 501, request: "get /v1/status HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "known method", status: 405, request: "PROPFIND /v1/status HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "OPTIONS *", status: 400, request: "OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "no version", status: 505, request: "GET /v1/settings\r\nhost: x\r\n\r\n"),
    Sample(name: "bad version", status: 505, request: "GET /v1/settings HTTP/x.y\r\nhost: x\r\n\r\n"),
    Sample(name: "future version", status: 505, request: "GET /v1/settings HTTP/3.0\r\nhost: x\r\n\r\n"),
    Sample(name: "space in path", status: 400, request: "GET /v1/a b HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "control in path", status: 400, request: "GET /v1/\u{1} HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "bad percent-encoding", status: 400, request: "GET /v1/devices/%zz HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "percent-encoded non-UTF-8", status: 400, request: "GET /v1/devices/%ff HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "bad query", status: 400, request: "GET /v1/commands?limit=%2 HTTP/1.1\r\nhost: x\r\n\r\n"),
    Sample(name: "long path", status: 431, request: "GET /v1/\(long) HTTP/1.1\r\nhost: x\r\n\r\n"),
    // Headers.
    Sample(name: "long header", status: 431, request: get + "x: \(long)\r\n\r\n"),
    Sample(name: "long header name", status: 431, request: get + "\(long): x\r\n\r\n"),
    Sample(
      name: "many headers", status: 431, request: get + String(repeating: "x: y\r\n", count: 2_000) + "\r\n"),
    Sample(name: "header without a colon", status: 400, request: get + "hello\r\n\r\n"),
    Sample(name: "space in a header's name", status: 400, request: get + "he llo: x\r\n\r\n"),
    Sample(name: "U+0000 in a header", status: 400, request: get + "x: a\u{0}b\r\n\r\n"),
    Sample(name: "two hosts", status: 400, request: get + "Host: y\r\n\r\n"),
    Sample(name: "the same host twice", status: 400, request: get + "host: x\r\n\r\n"),
    Sample(name: "two keys", status: 400, request: get + "idempotency-key: a\r\nIdempotency-Key: b\r\n\r\n"),
    Sample(
      name: "two keys and a body", status: 400,
      request: post + "idempotency-key: a\r\nidempotency-key: a\r\ncontent-length: 2\r\n\r\n{}"),
    Sample(name: "two tokens", status: 400, request: get + "authorization: a\r\nauthorization: b\r\n\r\n"),
    // Lengths and encodings.
    Sample(name: "word as length", status: 400, request: post + "content-length: many\r\n\r\n{}"),
    Sample(name: "negative length", status: 400, request: post + "content-length: -1\r\n\r\n{}"),
    Sample(name: "length beyond any", status: 400, request: post + "content-length: 99999999999999999999\r\n\r\n{}"),
    Sample(name: "two lengths", status: 400, request: post + "content-length: 2\r\ncontent-length: 3\r\n\r\n{}"),
    Sample(
      name: "length and chunks", status: 400,
      request: post + "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    Sample(name: "body too short", status: 400, request: post + "content-length: 9\r\n\r\n{}", endsThere: true),
    Sample(name: "head too short", status: 400, request: "GET /v1/settings HTTP/1.1\r\nho", endsThere: true),
    Sample(name: "bad Transfer-Encoding", status: 501, request: post + "transfer-encoding: foo\r\n\r\n{}"),
    Sample(name: "Transfer-Encoding of two", status: 501, request: post + "transfer-encoding: gzip, chunked\r\n\r\n"),
    Sample(name: "Transfer-Encoding of a GET", status: 501, request: get + "transfer-encoding: foo\r\n\r\n"),
    Sample(name: "bad chunk", status: 400, request: post + "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
    Sample(
      name: "cut-off chunk", status: 400, request: post + "transfer-encoding: chunked\r\n\r\n9\r\n{}\r\n",
      endsThere: true),
    // Bodies.
    Sample(name: "no JSON", status: 400, request: post + "content-length: 1\r\n\r\n{"),
    Sample(
      name: "another type", status: 415, request: post + "content-type: text/plain\r\ncontent-length: 2\r\n\r\n{}"),
    Sample(
      name: "a longer type", status: 415,
      request: post + "content-type: application/json-patch+json\r\ncontent-length: 2\r\n\r\n{}"),
    Sample(
      name: "a compressed body", status: 415, request: post + "content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"),
    Sample(
      name: "a body too long", status: 413,
      request: post + "transfer-encoding: chunked\r\n\r\n50000\r\n"
        + String(repeating: "m", count: 0x50000) + "\r\n0\r\n\r\n"),
  ]

  /// The status, headers and body of the only answer in what came back.
  private func answer(_ text: String) throws -> (status: Int, head: String, error: LocalAPIError) {
    let halves = text.components(separatedBy: "\r\n\r\n")
    try #require(halves.count == 2, "\(text)")
    let status = try #require(Int(halves[0].dropFirst("HTTP/1.1 ".count).prefix(3)))
    let body = Array(halves[1].utf8)
    #expect(halves[0].lowercased().contains("\r\ncontent-length: \(body.count)"), "\(text)")
    return (status, halves[0].lowercased(), try LocalJSON.decode(LocalAPIError.self, from: body))
  }

  @Test(arguments: samples) func eachIsAnsweredInOurWords(sample: Sample) async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let (status, head, error) = try answer(try await served.raw(sample.request, endsThere: sample.endsThere))
      #expect(status == sample.status)
      #expect(error.code == .invalid)
      // The fault and the next step.
      #expect(error.message.contains(": ") && error.message.hasSuffix("."), "\(error.message)")
      #expect(head.contains("\r\ncontent-type: application/json"), "\(head)")
      #expect(head.contains("\r\nconnection: close"), "\(head)")
      // And the node is there as before.
      #expect(try await served.client.ask(Endpoints.getSettings) == SampleValues.settings)
    }
    #expect(node.calls == [.ask(Endpoints.getSettings)])
  }

  @Test("A request that is refused for a header given twice leaves the answer before it whole")
  func repeatedAfterAnother() async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let text = try await served.raw(Self.get + "\r\n" + Self.get + "host: y\r\n\r\n", endsThere: false)
      let refusal = try #require(text.range(of: "HTTP/1.1 400 "))
      #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
      #expect(text[refusal.lowerBound...].contains("header host more than once"), "\(text)")
    }
    #expect(node.calls == [.ask(Endpoints.getSettings)])
  }

  @Test("Bytes that are not text, and every truncation of a request, get this API's errors or no answer")
  func bytesAndCuts() async throws {
    let node = ScriptedNode()
    let whole = Array((Self.post + "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}").utf8)
    let requests =
      [[0xFF, 0xFE, 0x0A, 0x0A], Array("GET /v1/\u{0} HTTP/1.1\r\n\r\n".utf8)]
      + whole.indices.map { Array(whole[..<$0]) }
    try await ServedNode.with(node) { served in
      for request in requests {
        let text = try await served.raw(request, endsThere: true)
        if text.isEmpty { continue }
        #expect((400..<500).contains(try answer(text).status) || text.hasPrefix("HTTP/1.1 501 "), "\(text)")
      }
    }
    #expect(node.calls.isEmpty)
  }

  @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"])
  func jsonIsTakenByAnyOfItsNames(type: String) async throws {
    let node = ScriptedNode()
    let body = #"{"device":"x","kind":"requestReport","payload":{}}"#
    try await ServedNode.with(node) { served in
      let answer = try await served.raw(
        Self.post + "content-type: \(type)\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n\r\n" + body)
      #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
    }
    #expect(node.calls.count == 1)
  }
}
