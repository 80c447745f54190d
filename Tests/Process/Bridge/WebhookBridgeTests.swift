import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// A program that is called with notices, and checks their signatures by Python's own HMAC.
  @Suite struct WebhookBridgeTests {
    private static let key = "a key of more than sixteen bytes"

    /// The program, whose first answers have the status 500.
    ///
    /// It prints a line for each call: its status, whether the signature is right, the delivery's
    /// name, and the body.
    private static let program = """
      import hashlib, hmac, http.server, sys, time
      key, failures = sys.argv[2].encode(), [int(sys.argv[3])]
      class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
          body = self.rfile.read(int(self.headers['content-length']))
          parts = dict(part.split('=') for part in self.headers['x-latchkey-signature'].split(','))
          code = hmac.new(key, parts['t'].encode() + b'.' + body, hashlib.sha256).hexdigest()
          right = hmac.compare_digest(code, parts['v1']) and abs(time.time() - int(parts['t'])) < 300
          status = 500 if failures[0] > 0 else 200
          failures[0] -= 1
          print(status, right, self.headers['x-latchkey-delivery'], body.decode(), flush=True)
          self.send_response(status)
          self.end_headers()
        def log_message(self, *words):
          pass
      http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
      """

    private struct Call {
      var status: String
      var isSigned: Bool
      var delivery: String
      var body: String
    }

    private func calls(_ path: String) -> [Call] {
      ProcessLab.read(path).split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
        return parts.count == 4
          ? Call(status: parts[0], isSigned: parts[1] == "True", delivery: parts[2], body: parts[3]) : nil
      }
    }

    private func bridge(_ node: NodeProcess) throws -> SpawnedProcess {
      try node.lab.spawn(
        BuiltProgram.path, ["bridge", "webhook", "--state-dir", node.folder], output: "/dev/null",
        talk: node.folder + ".bridge.log")
    }

    @Test("A call is signed, repeated until it is taken, and not made again; a private address must be named")
    func called() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        let (port, output, secret) = (try lab.freePort(), lab.newPath(), lab.newPath())
        _ = try lab.spawn(
          "python3", ["-c", Self.program, "\(port)", Self.key, "3"], output: output, talk: output + ".log")
        try (Self.key + "\n").write(toFile: secret, atomically: true, encoding: .utf8)
        let words = ["receivers", "add", "webhook", "--url", "http://127.0.0.1:\(port)/x", "--secret-file", secret]
        chmod(secret, 0o644)
        let open = try await mum.latchkey(words + ["--private"])
        #expect(open.status != 0 && open.talk.contains("chmod 600"), "\(open)")
        chmod(secret, 0o600)
        let unnamed = try await mum.latchkey(words)
        #expect(unnamed.status != 0 && unnamed.talk.contains("--private"), "\(unnamed)")
        let added = try await mum.latchkey(words + ["--private"])
        #expect(added.status == 0 && !added.talk.contains(Self.key), "\(added)")

        let first = try bridge(mum)
        #expect(try await pc.latchkey("ask", "45m", "--reason", "a secret of hers").status == 0)
        try await eventually("it is taken at last") { calls(output).contains { $0.status == "200" } }
        let made = calls(output)
        #expect(made.map(\.status) == ["500", "500", "500", "200"] && made.allSatisfy(\.isSigned), "\(made)")
        #expect(Set(made.map(\.delivery)).count == 1, "The other side can tell that it is the same.")
        let body = try #require(made.last).body
        #expect(body.contains(#""kind":"asked""#) && body.contains(#""sentence":"A child asks for time.""#), "\(body)")
        for word in ["Emma", "secret", "45 min"] { #expect(!body.contains(word), "\(body)") }
        try await eventually("all is well") { try await mum.api.ask(Endpoints.getReceivers).first?.fault == nil }

        // Neither a bridge nor a node that was killed makes the call again.
        first.signal(SIGKILL)
        _ = await first.wait()
        await mum.kill()
        try await mum.start()
        _ = try bridge(mum)
        #expect(try await mum.latchkey("receivers", "list").status == 0)
        let answer = AnswerRequest(request: nil, isApproved: false)
        _ = try await mum.api.ask(Endpoints.answerRequest, answer)
        #expect(try await pc.latchkey("ask", "5m").status == 0)
        try await eventually("the next one is taken") {
          calls(output).filter { $0.status == "200" && !$0.body.contains(#""isOver":true"#) }.count == 2
        }
        // It was over while another run of the bridge told of it.
        #expect(calls(output).count { $0.status == "200" && $0.body.contains(#""isOver":true"#) } == 1)
        let questions = calls(output).filter { !$0.body.contains(#""isOver":true"#) }
        #expect(Set(questions.map(\.delivery)).count == 2 && questions.allSatisfy(\.isSigned))
      }
    }
  }
}
