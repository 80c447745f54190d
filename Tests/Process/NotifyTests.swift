import Glibc
import LatchkeyModel
import Testing

extension ProcessTests {
  /// The helper of a child's desktop session, with a bus and a notification service that stand for
  /// the desktop.
  @Suite struct NotifyTests {
    @Test("Notices are shown on the desktop, the newer one in the place of the older one, also after the node was away")
    func shown() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        var desktop = try await StubDesktop(lab)
        let talk = lab.newPath() + ".log"
        let helper = try lab.spawn(
          BuiltProgram.path, ["notify", "--state-dir", home.pc.folder], variables: desktop.variables,
          output: "/dev/null", talk: talk)
        try await home.set([("app/kart/name", "Kart & <b>Co"), ("app/kart/matchers", "path \(home.game)")])
        try await home.set([("app/kart/limit", "0")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        let text = "Kart &amp; &lt;b&gt;Co was closed: no Kart &amp; &lt;b&gt;Co a day."
        try await eventually("it is shown") {
          guard helper.isRunning else { throw LabFault("It ended: \(ProcessLab.read(talk))") }
          return desktop.shown.contains { $0.title == "Closed" && $0.text == text }
        }
        let first = try #require(desktop.shown.first { $0.text == text })
        #expect(first.replaces == 0, "\(first)")

        // A second helper leaves it to the first one.
        let second = try await lab.run(
          BuiltProgram.path, ["notify", "--state-dir", home.pc.folder], variables: desktop.variables)
        #expect(second.status == 0 && second.talk.contains("already"), "\(second)")

        await home.pc.kill()
        try await eventually("it says that the node is away") { ProcessLab.read(talk).contains("latchkey run") }
        try await home.pc.start()
        try await home.set([("app/kart/limit", nil), ("app/kart/name", "Kart"), ("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("it is shown in the place of the first one") {
          desktop.shown.contains { $0.text == "Kart is blocked. It was closed." && $0.number == first.number }
        }
        #expect(helper.isRunning)
        #expect(desktop.shown.count { $0.text == text } == 1, "Nothing is shown twice: \(desktop.shown)")

        // What happens while there is no service is shown when there is one.
        await desktop.leave()
        try await home.set([("app/kart/blocked", nil), ("app/kart/limit", "0")])
        _ = try await home.play().wait()
        try await eventually("it says that the service is away") {
          ProcessLab.read(talk).contains("no notification service")
        }
        try await desktop.comeBack()
        try await eventually("it is shown") { [desktop] in
          desktop.shown.contains { $0.text == "Kart was closed: no Kart a day." && $0.replaces == 0 }
        }
      }
    }

    @Test("Without a notification service it says so and what to do")
    func refused() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let empty = try await StubDesktop(lab, isEmpty: true)
        let nowhere = try await lab.run(
          BuiltProgram.path, ["notify", "--state-dir", mum.folder], variables: empty.variables)
        #expect(nowhere.status == 69 && nowhere.talk.contains("install one"), "\(nowhere)")
      }
    }
  }
}
