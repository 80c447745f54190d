import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// A phone behind a real ntfy server.
  @Suite struct NtfyBridgeTests {
    /// Creates a family whose parent has set up a phone, and starts its bridge.
    private func home(_ lab: ProcessLab) async throws -> (
      mum: NodeProcess, pc: NodeProcess, server: NtfyServer, bridge: SpawnedProcess
    ) {
      let server = try await NtfyServer(lab)
      let (mum, pc) = try await lab.pairedFamily()
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
      let added = try await mum.latchkey(
        "receivers", "add", "ntfy", "--server", server.url, "--text", "names", "--may", "answer", "--at-most", "60m",
        "--username", "node", "--secret-file", server.secretFile)
      #expect(added.status == 0, "\(added)")
      #expect(!added.talk.contains("word of node"))
      try await server.obey(added.talk)
      return (mum, pc, server, try bridge(mum))
    }

    private func bridge(_ node: NodeProcess) throws -> SpawnedProcess {
      try node.lab.spawn(
        BuiltProgram.path, ["bridge", "ntfy", "--state-dir", node.folder], output: "/dev/null",
        talk: node.folder + ".bridge.log")
    }

    private func receiver(_ node: NodeProcess) async throws -> ReceiverListing {
      try #require(try await node.api.ask(Endpoints.getReceivers).first)
    }

    @Test("What a child asks is on the phone, and a button there answers it once; what is forged or late does nothing")
    func answered() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, server, _) = try await home(lab)
        #expect(try await pc.latchkey("ask", "45m", "--reason", "a secret of hers").status == 0)
        let question = try await server.message("the phone is asked") { $0.message == "Emma asks for 45 min." }
        #expect(question.actions?.map(\.label) == ["15 min", "30 min", "No"] && question.priority == 4)

        let no = try #require(question.actions?.last).body
        try await server.post("anything")
        try await server.post(no.replacing(".no.", with: ".30."))
        try await server.post(String(no.dropLast()) + (no.hasSuffix("0") ? "1" : "0"))
        try await server.press("30 min", of: question, times: 200)
        try await eventually("the child has the answer") {
          try await pc.api.ask(Endpoints.getRequests, nil).map(\.state) == [.approved]
        }
        #expect(try await mum.api.ask(Endpoints.getRequests, nil).first?.answer?.minutes == 30)
        let quiet = try await server.message("the phone sees what became of it") { $0.message == "Emma gets 30 min." }
        #expect(quiet.priority == 2 && quiet.actions == nil)
        // A press after the answer changes nothing, and nothing is said about it.
        try await server.press("No", of: question)
        #expect(try await pc.latchkey("ask", "5m").status == 0)
        let second = try await server.message("the next question is there") { $0.message == "Emma asks for 5 min." }
        #expect(try await receiver(mum).usedMinutes == 30)
        let first = try await server.messages().map(\.message)
        #expect(first.count == 3, "\(first)")

        // What a parent answers elsewhere is told quietly, once.
        #expect(try await mum.latchkey("deny").status == 0)
        _ = try await server.message("the phone hears of it") { $0.message == "Emma does not get 5 min." }
        try await server.press("15 min", of: second)
        try await eventually("what was dropped is in the log") {
          ProcessLab.read(mum.folder + ".bridge.log").contains("foreign")
        }
        let all = try await server.messages().map(\.message)
        #expect(all.count == 4, "\(all)")
        #expect(
          try await mum.api.ask(Endpoints.getRequests, nil).map(\.state).sorted { $0.rawValue < $1.rawValue } == [
            .approved, .denied,
          ])
      }
    }

    @Test("A server that was away is told once what still matters, and a press while the bridge was away counts")
    func away() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, server, first) = try await home(lab)
        try await eventually("the bridge works") { try await receiver(mum).isRunning }
        await server.kill()
        #expect(try await pc.latchkey("ask", "45m").status == 0)
        try await eventually("the parent is told what is wrong") { try await receiver(mum).fault != nil }
        let fault = try #require(try await receiver(mum).fault)
        #expect(fault.contains(server.url) && !fault.contains("lk0"), "\(fault)")
        try await server.start()
        let question = try await server.message("the phone is asked") { $0.actions != nil }
        try await eventually("all is well") { try await receiver(mum).fault == nil }
        // A bridge that is killed between the message and this tells it once more.
        try await eventually("the node keeps that it was told") {
          try await mum.api.ask(Endpoints.getNotices, receiver(mum).name).notices.isEmpty
        }

        first.signal(SIGKILL)
        _ = await first.wait()
        try await server.press("15 min", of: question)
        await mum.kill()
        try await mum.start()
        _ = try bridge(mum)
        try await eventually("the child has the answer") {
          try await pc.api.ask(Endpoints.getRequests, nil).map(\.state) == [.approved]
        }
        _ = try await server.message("the phone sees what became of it") { $0.message == "Emma gets 15 min." }
        #expect(try await server.messages().filter { $0.actions != nil }.count == 1, "It was asked once.")
        // The same presses are read again at each start.
        #expect(try await receiver(mum).usedMinutes == 15)
      }
    }

    @Test("What another parent answers while no bridge runs is on the phone when the bridge is back, once")
    func withdrawn() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, server, first) = try await home(lab)
        #expect(try await pc.latchkey("ask", "45m").status == 0)
        _ = try await server.message("the phone is asked") { $0.actions != nil }
        try await eventually("the node keeps that it was told") {
          try await mum.api.ask(Endpoints.getNotices, receiver(mum).name).notices.isEmpty
        }
        first.signal(SIGKILL)
        _ = await first.wait()
        #expect(try await mum.latchkey("deny").status == 0)
        let second = try bridge(mum)
        _ = try await server.message("the phone hears of it") { $0.message == "Emma does not get 45 min." }
        second.signal(SIGTERM)
        _ = await second.wait()
        _ = try bridge(mum)
        #expect(try await pc.latchkey("ask", "5m").status == 0)
        _ = try await server.message("the next question is there") { $0.message == "Emma asks for 5 min." }
        #expect(try await server.messages().count == 3)
      }
    }

    @Test("A server that takes the connection and never answers is told in a sentence, and asked again once it does")
    func mute() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, server, _) = try await home(lab)
        try await eventually("the bridge works") { try await receiver(mum).isRunning }
        await server.mute()
        #expect(try await pc.latchkey("ask", "45m").status == 0)
        try await eventually("the parent is told what is wrong") {
          try await receiver(mum).fault?.contains("does not answer in time") == true
        }
        let listed = try await mum.latchkey("receivers")
        #expect(listed.output.contains("since"), "\(listed)")
        await server.speak()
        let question = try await server.message("the phone is asked") { $0.actions != nil }
        try await eventually("all is well") { try await receiver(mum).fault == nil }
        try await server.press("15 min", of: question)
        try await eventually("the child has the answer") {
          try await pc.api.ask(Endpoints.getRequests, nil).map(\.state) == [.approved]
        }
      }
    }

    @Test("A password that is wrong, and a server without encryption, are told in a sentence")
    func refused() async throws {
      try await ProcessLab.run { lab in
        let (mum, _, server, bridge) = try await home(lab)
        bridge.signal(SIGTERM)
        _ = await bridge.wait()
        let plain = try await mum.latchkey("receivers", "add", "ntfy", "--server", "http://ntfy.example.org")
        #expect(plain.status != 0 && plain.talk.contains("--insecure"), "\(plain)")
        let wrong = lab.newPath()
        try "another word\n".write(toFile: wrong, atomically: true, encoding: .utf8)
        chmod(wrong, 0o600)
        let added = try await mum.latchkey(
          "receivers", "add", "ntfy", "--server", server.url, "--may", "answer", "--at-most", "60m", "--username",
          "node", "--secret-file", wrong)
        #expect(added.status == 0, "\(added)")
        _ = try self.bridge(mum)
        try await eventually("the parent is told what is wrong") {
          try await receiver(mum).fault?.contains("does not know the user, password or token") == true
        }
      }
    }
  }
}
