import Foundation
import Glibc
import Testing

extension ProcessTests {
  /// The connections of phones: HTTP/2 with its bounds, and HTTP/1.1.
  @Suite struct PhoneConnectionTests {
    private static let words = ["-sk", "--noproxy", "*", "-o", "/dev/null"]

    /// A frame of HTTP/2.
    private struct Frame {
      var type: UInt8
      var flags: UInt8 = 0
      var stream: UInt32 = 0
      var payload: [UInt8] = []

      var bytes: [UInt8] {
        let length = [UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
        return length + [type, flags] + withUnsafeBytes(of: stream.bigEndian) { Array($0) } + payload
      }

      static func all(in bytes: [UInt8]) -> [Frame] {
        var (frames, rest): ([Frame], ArraySlice<UInt8>) = ([], bytes[...])
        while rest.count >= 9 {
          let head = Array(rest.prefix(9))
          let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
          guard rest.count >= 9 + length else { break }
          let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
          frames.append(
            Frame(type: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(length))))
          rest = rest.dropFirst(9 + length)
        }
        return frames
      }
    }

    /// Sends frames to the pages, and returns those of the answer once the server has closed the
    /// connection.
    private func send(_ frames: [Frame], _ lab: ProcessLab, _ host: String) async throws -> [Frame] {
      let (input, output) = (lab.newPath(), lab.newPath())
      let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
      try Data(preface + frames.flatMap(\.bytes)).write(to: URL(fileURLWithPath: input))
      let script = #"exec openssl s_client -quiet -alpn h2 -connect "$1" < "$2" > "$3" 2> /dev/null"#
      _ = try await lab.run("sh", ["-c", script, "sh", host, input, output])
      return Frame.all(in: Array(try Data(contentsOf: URL(fileURLWithPath: output))))
    }

    @Test("A phone's requests share one connection by HTTP/2, or use HTTP/1.1, and long headers are refused")
    func versions() async throws {
      try await ProcessLab.run { lab in
        let browser = try await WebBrowser(try await lab.pairedFamily().parent)
        let (host, trust) = try await PhoneTests().begin(browser)
        let format = ["-w", "%{http_version} %{http_code} %{num_connects}\\n"]
        for (version, name) in [("--http2", "2"), ("--http1.1", "1.1")] {
          let asked = try await lab.run("curl", Self.words + format + [version, "https://\(host)/in"])
          #expect(asked.output == "\(name) 200 1\n", "\(asked)")
        }
        // Twelve at a time, which is more than a browser has connections.
        let pages = (0..<12).flatMap { ["-o", "/dev/null", "https://\(host)/in?\($0)"] }
        let many = try await lab.run(
          "curl", ["-sk", "--noproxy", "*", "--http2", "--parallel", "--parallel-max", "12"] + format + pages)
        let lines = many.output.split(separator: "\n")
        #expect(lines.count == 12 && lines.allSatisfy { $0.hasPrefix("2 200 ") }, "\(many)")
        #expect(lines.filter { $0.hasSuffix(" 1") }.count == 1, "\(many)")
        let long = String(repeating: "x", count: 40_000)
        let header = ["--http2", "-H", "X-Long: \(long)", "https://\(host)/in"]
        let refused = try await lab.run("curl", Self.words + format + header)
        #expect(!refused.output.contains("200"), "\(refused)")
        // The trust step has no TLS, and no HTTP/2.
        let plain = try await lab.run(
          "curl", Self.words + format + ["--http2-prior-knowledge", "http://\(trust)/trust"])
        #expect(!plain.output.contains(" 200 "), "\(plain)")
        #expect(try await browser.get("/phones").status == 200)
      }
    }

    @Test("Forms that do not arrive, and answers that are not taken, keep no other phone out")
    func held() async throws {
      try await ProcessLab.run { lab in
        let browser = try await WebBrowser(try await lab.pairedFamily().parent)
        let host = try await PhoneTests().begin(browser).pages
        let authority = [0x41, UInt8(host.utf8.count)] + Array(host.utf8)
        func literal(_ name: String, _ value: String) -> [UInt8] {
          [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        // POST, https, with the one byte of a form that never arrives.
        let form: [UInt8] =
          [0x83, 0x87] + literal(":path", "/in") + authority + literal("origin", "https://\(host)")
          + literal("content-type", "application/x-www-form-urlencoded") + literal("content-length", "1000")
        let forms = (0..<100).flatMap { number -> [Frame] in
          let stream = UInt32(2 * number + 1)
          return [
            Frame(type: 1, flags: 4, stream: stream, payload: form),
            Frame(type: 0, stream: stream, payload: [UInt8(ascii: "c")]),
          ]
        }
        // GET, https, /in, in a window of 0.
        let page: [UInt8] = [0x82, 0x87] + literal(":path", "/in") + authority
        let pages = (0..<100).map { Frame(type: 1, flags: 5, stream: UInt32(2 * $0 + 1), payload: page) }
        let closed = Frame(type: 4, payload: [0, 4, 0, 0, 0, 0])
        for (frames, bound) in [([Frame(type: 4)] + forms, 48), ([closed] + pages, 48)] {
          let (process, output) = try hold(frames, lab, host)
          // Those above the bound are refused: their streams end.
          try await eventually("the requests above the bound are refused") {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data()
            let ends = Frame.all(in: Array(bytes)).filter { $0.type == 3 || $0.type == 0 && $0.flags & 1 == 1 }
            return Set(ends.map(\.stream)).count >= 100 - bound
          }
          // A phone at another address.
          let asked = try await lab.run(
            "curl", Self.words + ["--interface", "127.0.0.2", "-w", "%{http_code}", "https://\(host)/in"])
          #expect(asked.output == "200", "\(asked)")
          process.signal(SIGKILL)
        }
        // By HTTP/1.1, the connection ends when its form does not arrive in time.
        let (input, output) = (lab.newPath(), lab.newPath())
        let head = [
          "POST /in HTTP/1.1", "Host: \(host)", "Origin: https://\(host)", "Content-Length: 1000",
          "Content-Type: application/x-www-form-urlencoded",
        ]
        try Data((head.joined(separator: "\r\n") + "\r\n\r\nc").utf8).write(to: URL(fileURLWithPath: input))
        let script = #"exec timeout 50 openssl s_client -quiet -connect "$1" < "$2" > "$3" 2> /dev/null"#
        let ended = try await lab.run("sh", ["-c", script, "sh", host, input, output])
        #expect(ended.status != 124, "The server has closed the connection: \(ended)")
      }
    }

    @Test("A request by HTTP/2 that names a host beside its authority is refused")
    func twoNames() async throws {
      try await ProcessLab.run { lab in
        let browser = try await WebBrowser(try await lab.pairedFamily().parent)
        let host = try await PhoneTests().begin(browser).pages
        // GET, https, the path /, and the authority; then a header.
        let right: [UInt8] = [0x82, 0x87, 0x84, 0x41, UInt8(host.utf8.count)] + Array(host.utf8)
        for other in ["evil.example", host] {
          let beside: [UInt8] = [0x00, 4] + Array("host".utf8) + [UInt8(other.utf8.count)] + Array(other.utf8)
          let request = Frame(type: 1, flags: 5, stream: 1, payload: right + beside)
          let (process, output) = try hold([Frame(type: 4), request], lab, host)
          var text = ""
          try await eventually("the request is answered") {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data()
            let frames = Frame.all(in: Array(bytes)).filter { $0.type == 0 && $0.stream == 1 }
            text = String(decoding: frames.flatMap(\.payload), as: UTF8.self)
            return frames.contains { $0.flags & 1 == 1 }
          }
          #expect(text.contains("These pages answer to the address of this computer alone"), "\(text)")
          process.signal(SIGKILL)
        }
      }
    }

    /// Sends frames to the pages, and keeps the connection open; the answer is in the file.
    private func hold(
      _ frames: [Frame], _ lab: ProcessLab, _ host: String
    ) throws -> (process: SpawnedProcess, output: String) {
      let (input, output) = (lab.newPath(), lab.newPath())
      let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
      try Data(preface + frames.flatMap(\.bytes)).write(to: URL(fileURLWithPath: input))
      let script = #"exec openssl s_client -quiet -alpn h2 -connect "$1" < "$2" 2> /dev/null"#
      let process = try lab.spawn("sh", ["-c", script, "sh", host, input], output: output, talk: output + ".err")
      return (process, output)
    }

    @Test("Requests that are taken back at once end their connection, and no other one (CVE-2023-44487)")
    func resets() async throws {
      try await ProcessLab.run { lab in
        let browser = try await WebBrowser(try await lab.pairedFamily().parent)
        let host = try await PhoneTests().begin(browser).pages
        // GET, https, /, and the host, of the static table.
        let headers = [0x82, 0x87, 0x84, 0x41, UInt8(host.utf8.count)] + Array(host.utf8)
        let requests = (0..<400).flatMap { number -> [Frame] in
          let stream = UInt32(2 * number + 1)
          return [
            Frame(type: 1, flags: 5, stream: stream, payload: headers),
            Frame(type: 3, stream: stream, payload: [0, 0, 0, 8]),
          ]
        }
        let answer = try await send([Frame(type: 4)] + requests, lab, host)
        let last = try #require(answer.last { $0.type == 7 }, "The connection was closed with a reason.")
        #expect(last.payload.count >= 8 && last.payload[7] == 11, "Its reason is ENHANCE_YOUR_CALM: \(last.payload)")
        let settings = try #require(answer.first { $0.type == 4 && $0.flags == 0 })
        #expect(settings.payload.starts(with: [0, 3, 0, 0, 0, 100]), "100 at a time: \(settings.payload)")
        let asked = try await lab.run("curl", Self.words + ["-w", "%{http_code}", "https://\(host)/in"])
        #expect(asked.output == "200", "\(asked)")
      }
    }
  }
}
