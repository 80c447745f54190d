import Foundation
import Glibc
import Testing

@testable import LatchkeyWeb

@Suite("The names of a person's own proxy")
struct ProxyHostsTests {
  @Test(
    "A name is kept as browsers send it",
    arguments: [
      ("pc.example.ts.net", "pc.example.ts.net"), ("PC.Example.ts.net:443", "pc.example.ts.net"),
      ("nas:8443", "nas:8443"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ])
  func names(_ typed: String, _ name: String) { #expect(ProxyHosts.name(typed) == name) }

  @Test(
    "What is no name of a host, or one of the loopback interface, is none",
    arguments: [
      "", ".", "a..b", "a.", ".a", "-a.b", "a-.b", "a b", "a/b", "a@b", "a\nb", "https://a.b", "192.168.1.5", "a.1",
      "[::1]", "::1", "localhost", "x.localhost", "localhost:80", "a:", "a:0", "a:65536", "a:080", "a:1:2", "ä.example",
      "a_b.example", "*.example", String(repeating: "a", count: 64),
    ])
  func others(_ typed: String) { #expect(ProxyHosts.name(typed) == nil) }

  private func with(_ body: (ProxyHosts, String) throws -> Void) throws {
    let state = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: state) }
    try body(ProxyHosts(stateFolder: state), "\(state)/web")
  }

  @Test("Names are kept in a file of their owner's alone, each once, in order, and no more than eight")
  func file() throws {
    try with { hosts, folder in
      #expect(hosts.names.isEmpty)
      let added = [try hosts.add("b.example"), try hosts.add("a.example:8443"), try hosts.add("b.example")]
      #expect(added == [true, true, false])
      #expect(hosts.names == ["b.example", "a.example:8443"])
      var status = stat()
      #expect(stat("\(folder)/hosts", &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["hosts"])
      for number in 2..<ProxyHosts.most {
        let isNew = try hosts.add("h\(number).example")
        #expect(isNew)
      }
      #expect(throws: WebFault.self) { () throws -> Void in _ = try hosts.add("one-more.example") }
      let removed = [try hosts.remove("b.example"), try hosts.remove("b.example")]
      #expect(removed == [true, false])
      #expect(hosts.names.first == "a.example:8443" && hosts.names.count == ProxyHosts.most - 1)
    }
  }

  @Test("What stands in the file and is no name allows nothing")
  func nonsense() throws {
    try with { hosts, folder in
      _ = try hosts.add("a.example")
      try "*\n\n192.168.1.5\na.example\nhttps://b.example\n".write(
        toFile: "\(folder)/hosts", atomically: true, encoding: .utf8)
      #expect(hosts.names == ["a.example"])
    }
  }
}
