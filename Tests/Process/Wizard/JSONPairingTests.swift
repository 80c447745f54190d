import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of pairing by programs, with lines of JSON and digits on standard input.
  @Suite struct JSONPairingTests {
    private struct Line: Decodable {
      var event: String
      var code: String?
      var typedCode: String?
      var digits: String?
      var outcome: String?
      var sentence: String?
      var device: RegisteredDevice?
    }

    private func lines(_ path: String) throws -> [Line] {
      // The last line may not be whole yet.
      try ProcessLab.read(path).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
    }

    private func line(_ event: String, _ path: String) async throws -> Line {
      var found: Line?
      try await eventually("“\(event)” is written") {
        found = try lines(path).last { $0.event == event }
        return found != nil
      }
      return try #require(found)
    }

    /// Pairs, and answers the inviter's question with the result of `answer` for the digits; `nil`
    /// ends the input.
    private func pair(
      _ parent: NodeProcess, _ child: NodeProcess, joinWith: (String) -> [String] = { _ in [] },
      _ answer: (String) -> String?
    ) async throws -> (inviter: (ProcessEnd, Line), joiner: CommandResult) {
      let fifo = parent.lab.newPath()
      guard mkfifo(fifo, 0o600) == 0 else { throw LabFault("no pipe") }
      // Opened for both directions, so that opening does not block.
      let pipe = Glibc.open(fifo, O_RDWR | O_CLOEXEC)
      let invite = try parent.launch(["pair", "invite", "--json", "--for", "Emma"], input: fifo)
      let code = try #require(try await line("code", invite.output).typedCode)
      let join = try child.launch(["pair", "join", "--code-stdin", "--json"], input: try file(code, parent.lab))
      let digits = try #require(try await line("request", invite.output).digits)
      if let text = answer(digits) {
        _ = (text + "\n").withCString { write(pipe, $0, strlen($0)) }
      }
      close(pipe)
      let (inviterEnd, joinerEnd) = (await invite.process.wait(), await join.process.wait())
      return (
        (inviterEnd, try await line("result", invite.output)),
        CommandResult(end: joinerEnd, output: ProcessLab.read(join.output), talk: ProcessLab.read(join.talk))
      )
    }

    private func file(_ text: String, _ lab: ProcessLab) throws -> String {
      let path = lab.newPath()
      try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
      return path
    }

    @Test("A request is accepted only with its six digits")
    func digits() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        for answer in [{ _ in "y" }, { _ in nil }, { String($0.reversed()) + "0" }] as [(String) -> String?] {
          let (inviter, joiner) = try await pair(parent, child, answer)
          #expect(inviter.0 == .exited(77))
          #expect(inviter.1.outcome == "refused")
          #expect(joiner.status == 77, "\(joiner)")
          #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
          #expect(try await child.api.ask(Endpoints.getDevices).isEmpty)
        }
        let (inviter, joiner) = try await pair(parent, child) { $0 }
        #expect(inviter.0 == .exited(0))
        #expect(inviter.1.device?.name.text == "Emma's PC" && inviter.1.device?.childName == "Emma")
        #expect(joiner.status == 0 && joiner.output.contains("\"outcome\":\"ok\""), "\(joiner)")
      }
    }

    @Test("The joining side continues only with the digits that it was told")
    func acceptedDigits() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        let invite = try parent.launch(["pair", "invite", "--json", "--yes"])
        let code = try #require(try await line("code", invite.output).code)
        let joined = try await child.latchkey(
          "pair", "join", "--code-stdin", "--json", "--accept-digits", "000000", input: code + "\nrest\n")
        #expect(joined.status == 77, "\(joined)")
        #expect(joined.talk.contains("and not the expected 000000, so the other machine was refused"))
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
        #expect(try await child.api.ask(Endpoints.getDevices).isEmpty)
        #expect(await invite.process.wait() == .exited(77))
        // Neither form of the code is in an output or a log.
        for text in [joined.talk, joined.output, parent.log, child.log, ProcessLab.read(invite.talk)] {
          #expect(!text.contains(code.suffix(20)))
        }
      }
    }
  }
}
