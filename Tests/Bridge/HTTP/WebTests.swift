import Testing

@testable import LatchkeyBridge

@Suite("Servers")
struct WebTests {
  @Test("URLs with a host are taken, and others refused")
  func urls() throws {
    let url = try #require(WebURL("https://ntfy.example.org:8443/a/"))
    #expect(url.text == "https://ntfy.example.org:8443/a" && url.host == "ntfy.example.org" && url.isEncrypted)
    #expect(url.server == "https://ntfy.example.org:8443")
    #expect(try #require(WebURL("http://[::1]:80/x")).isLoopback)
    #expect(try #require(WebURL("http://localhost")).isLoopback)
    #expect(try !#require(WebURL("http://localhost.example.org")).isLoopback)
    for text in [
      "", "ntfy.example.org", "ftp://example.org", "https://", "https://a:b@example.org", "https://user@example.org",
      "https://example.org/#x", "https://exa mple.org", "https://example.org/\n", "file:///etc/passwd",
      "https://./", "https://example.org../", "https://example%2E/",
      "https://example.org/" + String(repeating: "a", count: 2_048),
    ] {
      #expect(WebURL(text) == nil, "\(text)")
    }
  }

  @Test("A dot at the end of a name makes no other name")
  func dots() throws {
    let url = try #require(WebURL("HTTPS://localhost.:8443/a./?b=."))
    #expect(url.text == "HTTPS://localhost:8443/a./?b=." && url.host == "localhost" && url.isLoopback)
    #expect(try #require(WebURL("https://127.0.0.1./")).text == "https://127.0.0.1")
    #expect(try #require(WebURL("https://Example.org.")).host == "Example.org")
    #expect(throws: BridgeFault.self) {
      try WebhookSetup(url: "https://localhost./", text: "bare", key: nil, isPrivate: false, isInsecure: false)
    }
  }

  @Test("A query in an ntfy server's address is named as such")
  func query() throws {
    let choice = NtfySetup.Choice(
      server: "https://ntfy.example.org/?q=1", text: "bare", rights: [], user: nil, isInsecure: false)
    let fault = #expect(throws: BridgeFault.self) { try NtfySetup(choice, secret: nil, buttonToken: nil) }
    #expect(fault?.sentence.contains("query") == true)
  }

  @Test("Pauses double up to the longest, and a server may ask for a longer one")
  func backoff() {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    #expect((0..<7).map { _ in backoff.failed(jitter: 0) } == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    backoff.succeeded()
    #expect(backoff.failed(asked: .seconds(20), jitter: 0) == .seconds(20))
    #expect(backoff.failed(asked: .seconds(86_400), jitter: 0) == .seconds(30))
    #expect(backoff.failed(jitter: 1) == .seconds(4) + .seconds(4) * 0.2)
    for _ in 0..<1_000 { _ = backoff.failed() }
    #expect(backoff.failed(jitter: 0) == .seconds(30))
  }

  @Test("Lines arrive whole however they are cut, and a line without end fills no memory")
  func lines() {
    let text = Array("one\n\ntwo\nthree".utf8)
    for size in 1...text.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for start in stride(from: 0, to: text.count, by: size) {
        for line in splitter.lines(adding: text[start..<min(start + size, text.count)]) {
          lines.append(String(decoding: line, as: UTF8.self))
        }
      }
      #expect(lines == ["one", "two"])
    }
    var splitter = LineSplitter()
    for _ in 0..<10 { #expect(splitter.lines(adding: [UInt8](repeating: 97, count: 10_000)).isEmpty) }
    #expect(splitter.lines(adding: Array("\nnext\n".utf8)) == [Array("next".utf8)])
  }
}
