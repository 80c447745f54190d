import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Testing

extension ProcessTests {
  /// The pages of a parent and of a child, with real nodes behind them.
  @Suite struct WebPagesTests {
    private func family(_ lab: ProcessLab) async throws -> (mum: NodeProcess, pc: NodeProcess) {
      let (mum, pc) = try await lab.pairedFamily()
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
      return (mum, pc)
    }

    @Test("A parent reads a child's day, answers, gives time and locks; the page hears of each change")
    func parent() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await family(lab)
        let set = RuleRequest([.init("limits/daily", "120"), .init("app/kart/name", "\"><b>Kart</b>")])
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", set))
        let browser = try await WebBrowser(mum)
        let first = try await browser.get("/")
        for part in ["Emma", " left", "0 min of 2 h used today", "Emma&#39;s PC: in touch"] {
          #expect(first.status == 200 && first.text.contains(part), "\(part): \(first)")
        }

        let stream = try browser.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        #expect(try await pc.latchkey("ask", "45m", "--reason", "\"\u{301}<i>the level</i>").status == 0)
        try await eventually("the page hears of it") { ProcessLab.read(stream.output).contains("data: change") }
        try await eventually("the request is on the page") {
          try await browser.get("/").text.contains("Emma asks for 45 min")
        }
        let asked = try await browser.get("/")
        #expect(!asked.text.contains("<i>") && asked.text.contains("&lt;i&gt;the level"), "\(asked)")
        let request = try #require(try await mum.api.ask(Endpoints.getRequests, nil).first)
        let answered = try await browser.form(
          "/requests/answer",
          ["request": request.requestID.description, "answer": "yes", "minutes": "20", "word": "after dinner"])
        #expect(answered.status == 303 && answered.headers.contains("/\r\n"), "\(answered)")
        let part = try await browser.get("/", ["-H", "Latchkey-Part: 1"])
        #expect(!part.text.contains("Emma gets 20 min."), "It is said to the page that follows the form.")
        let after = try await browser.get("/")
        #expect(after.text.contains("Emma gets 20 min.") && after.text.contains("after dinner"), "\(after)")
        #expect(try await !browser.get("/").text.contains("Emma gets 20 min."), "It is said once.")
        let late = try await browser.form(
          "/requests/answer", ["request": request.requestID.description, "answer": "no"])
        #expect(late.status == 409, "\(late)")

        let child = try #require(try await mum.api.ask(Endpoints.getChildren).first).childID.description
        let form = try await browser.get("/").text
        let key = try #require(form.firstMatch(of: /name="key" value="([0-9a-f-]+)"/)).output.1
        let grant = ["child": child, "minutes": "15", "key": String(key)]
        #expect(try await browser.form("/children/grant", grant).status == 303)
        #expect(try await browser.get("/").text.contains("Emma has 15 min more for the rest of the day."))
        #expect(try await browser.form("/children/grant", grant).status == 303, "It is pressed twice.")
        #expect(
          try await browser.get("/").text.contains("Emma got more time once, although the button was pressed twice."))
        let given = try await mum.api.ask(Endpoints.getRules, "Emma").rules.count { $0.key.text.contains("/grant/") }
        #expect(given == 1)
        #expect(try await browser.form("/children/grant", ["child": child, "minutes": "15"]).status == 400)
        let long = try await browser.form(
          "/requests/answer",
          [
            "request": request.requestID.description, "answer": "no", "word": String(repeating: "a", count: 2_000),
          ])
        #expect(long.status == 400 && long.text.contains("“A word” is too long"), "\(long)")
        #expect(try await browser.form("/children/lock", ["child": child, "lock": "on"]).status == 303)
        let locked = try await browser.get("/")
        #expect(locked.text.contains("Locked") && locked.text.contains(">Unlock <"), "\(locked)")
        try await eventually("the machine is told") {
          try await pc.api.ask(Endpoints.getRules, nil).rules.contains { $0.key == "lock" && $0.value == "on" }
        }
        #expect(try await browser.form("/children/lock", ["child": child, "lock": "off"]).status == 303)
        #expect(try await browser.get("/").text.contains(">Lock <"))

        let week = try await browser.get("/children/\(child)")
        for part in ["Week of Mon", "<table id=\"use\">", "Rules"] {
          #expect(week.status == 200 && week.text.contains(part), "\(part): \(week)")
        }
        let applications = try await browser.get("/children/\(child)/applications")
        #expect(applications.text.contains("&quot;&gt;&lt;b&gt;Kart"), "\(applications)")
        #expect(try await browser.get("/children/\(child)?week=2026-01-07").text.contains("Week of Mon 5 Jan"))
        let machines = try await browser.get("/machines")
        #expect(machines.text.contains("used by Emma") && machines.text.contains("this machine, a parent"))
        for (path, status) in [
          ("/children/nobody", 404), ("/nothing", 404), ("/children/../machines", 404), ("/ask", 404),
        ] {
          #expect(try await browser.get(path).status == status, "\(path)")
        }
        // A child's form is not a parent's.
        #expect(try await browser.form("/ask", ["minutes": "5"]).status == 403)
      }
    }

    @Test("A child reads what is left and what is kept, asks on its page, and gets no parent's page")
    func child() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await family(lab)
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", "90")])))
        try await eventually("the rule is there") {
          try await pc.api.ask(Endpoints.getRules, nil).rules.contains { $0.key == "limits/daily" }
        }
        let browser = try await WebBrowser(pc)
        let page = try await browser.get("/")
        for part in [
          "My time, Emma", "0 min of 1 h 30 min used today", "class=\"ring\"", "Your parents see it on Kitchen laptop",
        ] {
          #expect(page.status == 200 && page.text.contains(part), "\(part): \(page)")
        }
        let asked = try await browser.form("/ask", ["minutes": "30", "app": "", "reason": "the level", "key": "0-ask"])
        #expect(asked.status == 303, "\(asked)")
        #expect(try await browser.get("/").text.contains("Your parents are asked for 30 min."))
        try await eventually("the parent has it") {
          try await mum.api.ask(Endpoints.getRequests, nil).first?.reason == "the level"
        }
        // The same form again, as a button that is pressed twice sends it.
        let again = try await browser.form(
          "/ask", ["minutes": "30", "app": "", "reason": "the level", "key": "0-ask"])
        #expect(again.status == 303, "\(again)")
        #expect(try await browser.get("/").text.contains("asked once, although the button was pressed twice"))
        #expect(try await pc.api.ask(Endpoints.getRequests, nil).count == 1)
        #expect(try await browser.form("/ask", ["minutes": "many"]).status == 400)
        for path in ["/machines", "/children/018f"] { #expect(try await browser.get(path).status == 403, "\(path)") }
        #expect(try await browser.form("/children/lock", ["child": "Emma", "lock": "off"]).status == 403)
      }
    }

    @Test("While the node is away, a page says so and works again by itself afterwards")
    func away() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let browser = try await WebBrowser(mum)
        #expect(try await browser.get("/").status == 200)
        let stream = try browser.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        await mum.kill()
        try await eventually("the page hears of it") { ProcessLab.read(stream.output).contains("data: change") }
        let gone = try await browser.get("/")
        #expect(gone.status == 503 && gone.text.contains("has not answered on this machine since"), "\(gone)")
        #expect(!gone.text.contains(mum.folder) && gone.text.contains("latchkey doctor"), "\(gone)")
        #expect(try await browser.form("/children/lock", ["child": "Emma", "lock": "on"]).status == 503)
        let heard = ProcessLab.read(stream.output).utf8.count
        try await mum.start()
        try await eventually("the page hears of it") { ProcessLab.read(stream.output).utf8.count > heard }
        #expect(try await browser.get("/").status == 200)
      }
    }

    @Test("The pages end by themselves after the last one was closed, and leave nothing behind")
    func idle() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let browser = try await WebBrowser(mum, idle: "15s")
        let stream = try browser.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        stream.process.signal(SIGTERM)
        #expect(await browser.process.wait() == .exited(0))
        let folders = try FileManager.default.contentsOfDirectory(atPath: browser.runtime)
        for folder in folders {
          #expect(try FileManager.default.contentsOfDirectory(atPath: "\(browser.runtime)/\(folder)") == ["lock"])
        }
      }
    }

    @Test("The process that serves pages with streams open ends at a signal")
    func stops() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let browser = try await WebBrowser(mum)
        let stream = try browser.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        browser.process.signal(SIGTERM)
        #expect(await browser.process.wait() == .exited(0))
        _ = await stream.process.wait()
        #expect(!WebBrowser.hasSocket(browser.runtime))
      }
    }
  }
}
