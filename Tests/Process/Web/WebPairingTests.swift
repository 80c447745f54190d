import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The pairing of a child's machine on a parent's pages, while the child joins in a terminal.
  @Suite struct WebPairingTests {
    @Test("A first visit leads through pairing, the account and the time to a page that shows the child")
    func firstVisit() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let pc = try await lab.runningNode(.child, "Emma's PC")
        let browser = try await WebBrowser(mum)
        #expect(try await browser.get("/").text.contains("href=\"/machines/pair\""))
        let (path, code) = try await open(browser, for: "Emma")
        let stream = try browser.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        let join = try join(pc, code)
        let asking = try await page(browser, path) { $0.contains("/machines/pair/answer") }
        try await eventually("the page hears of it") { ProcessLab.read(stream.output).contains("data: change") }
        #expect(
          asking.contains("“Emma&#39;s PC” has the code and wants to join.") && !asking.contains(code), "\(asking)")
        #expect(asking.contains(/aria-hidden="true">[0-9]{3} [0-9]{3}</), "\(asking)")
        let attempt = try #require(asking.firstMatch(of: /name="attempt" value="([0-9]+)"/)).1
        let id = path.split(separator: "/").last.map(String.init) ?? ""
        // A late answer to another machine lets nobody in.
        let late = try await browser.form("/machines/pair/answer", ["pairing": id, "attempt": "99", "answer": "yes"])
        #expect(late.status == 303 && late.location == path, "\(late)")
        #expect(try await browser.get(path).text.contains("The question is no longer open"))
        #expect(try await mum.api.ask(Endpoints.getDevices).isEmpty)
        let yes = try await browser.form(
          "/machines/pair/answer", ["pairing": id, "attempt": String(attempt), "answer": "yes"])
        #expect(yes.status == 303 && yes.location == path, "\(yes)")
        #expect(await join.process.wait() == .exited(0), "\(ProcessLab.read(join.talk))")
        let paired = try await page(browser, path) { $0.contains("Paired with “Emma&#39;s PC”.") }
        let found = try #require(paired.firstMatch(of: /href="(\/machines\/[0-9A-Z-]+\/setup)"/))
        let setup = String(found.1)
        try await answer(browser, setup)

        let today = try await browser.get("/")
        for part in ["Emma", "0 min of 1 h 30 min used today", "Emma&#39;s PC: in touch"] {
          #expect(today.text.contains(part), "\(part): \(today)")
        }
        try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        try await eventually("the machine has the rules") {
          let rules = try await pc.api.ask(Endpoints.getRules, "Emma").rules
          return rules.contains { $0.key == "limits/daily" && $0.value == "90" }
            && rules.contains { $0.key == "schedule/bedtime" && $0.value == "20:30-06:45" }
        }
        #expect(try await browser.get(setup).text.contains("No question about this machine is open."))
        for text in [mum.log, pc.log, ProcessLab.read(mum.folder + ".web.log")] { #expect(!text.contains(code)) }
      }
    }

    /// Answers the three questions about Emma's machine.
    private func answer(_ browser: WebBrowser, _ setup: String) async throws {
      let asked = try await page(browser, setup) { $0.contains("/machines/setup/account") }
      let account = try #require(asked.firstMatch(of: /name="account" value="([0-9]+)"/)).1
      let child = try #require(asked.firstMatch(of: /name="child" value="([0-9a-f-]+)"/)).1
      let device = try #require(asked.firstMatch(of: /name="device" value="([0-9A-Z-]+)"/)).1
      let base = ["device": String(device), "child": String(child)]
      func send(_ question: String, _ fields: [String: String]) async throws -> String {
        let sent = try await browser.form("/machines/setup/\(question)", base.merging(fields) { $1 })
        #expect(sent.status == 303, "\(sent)")
        return try #require(sent.location)
      }
      let limit = try await send("account", ["account": String(account)])
      #expect(limit == "\(setup)?at=limit-\(child)")
      #expect(try await browser.get(limit).text.contains("How long may Emma use the screen a day?"))
      let same = try await send("limit", ["limit": "much"])
      #expect(same == limit, "What is no limit is asked again.")
      let refused = try await browser.get(same)
      #expect(refused.text.contains("word fault") && refused.text.contains("How long may Emma"), "\(refused)")
      let bedtime = try await send("limit", ["limit": "1h30m"])
      #expect(bedtime == "\(setup)?at=bedtime-\(child)")
      #expect(try await browser.get(bedtime).text.contains("When does Emma go to bed?"))
      #expect(try await send("bedtime", ["from": "20:30", "until": "06:45"]) == "/")
    }

    @Test(
      "A machine that is turned away, or turns this one away, is paired with neither; a code that is cancelled is closed"
    )
    func refusals() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let pc = try await lab.runningNode(.child, "Emma's PC")
        let browser = try await WebBrowser(mum)

        let (refused, code) = try await open(browser, for: "Emma")
        let first = try join(pc, code)
        let asking = try await page(browser, refused) { $0.contains("/machines/pair/answer") }
        let attempt = try #require(asking.firstMatch(of: /name="attempt" value="([0-9]+)"/)).1
        let id = refused.split(separator: "/").last.map(String.init) ?? ""
        let no = try await browser.form(
          "/machines/pair/answer", ["pairing": id, "attempt": String(attempt), "answer": "no"])
        #expect(no.status == 303)
        _ = try await page(browser, refused) { $0.contains("You said no: the other machine was turned away") }
        #expect(await first.process.wait() == .exited(77))

        let (differs, second) = try await open(browser, for: "")
        let wrong = try join(pc, second, ["--accept-digits", "000000"])
        #expect(await wrong.process.wait() == .exited(77))
        _ = try await page(browser, differs) { $0.contains("the code is closed") && $0.contains("word fault") }

        let (cancelled, _) = try await open(browser, for: "Zoe")
        let (other, _) = try await open(browser, for: "Ben")
        let both = try await browser.get("/machines/pair")
        #expect(both.text.contains("Code for “Zoe”") && both.text.contains("Code for “Ben”"), "\(both)")
        let closing = cancelled.split(separator: "/").last.map(String.init) ?? ""
        #expect(try await browser.form("/machines/pair/cancel", ["pairing": closing]).location == cancelled)
        #expect(try await browser.get(cancelled).text.contains("The code was cancelled here"))
        #expect(try await browser.get(other).text.contains("Code for “Ben”"))
        #expect(try await mum.api.ask(Endpoints.getPairings).map(\.childName) == ["Ben"])
        for node in [mum, pc] { #expect(try await node.api.ask(Endpoints.getDevices).isEmpty) }
        #expect(try await browser.get("/machines/pair/0000").text.contains("knows nothing of this pairing"))
      }
    }

    @Test("A code outlives its node, whoever leaves is told of, and a code that expires says what to do")
    func interruptions() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let pc = try await lab.runningNode(.child, "Emma's PC")
        let browser = try await WebBrowser(mum)
        let (path, code) = try await open(browser, for: "Emma")
        let join = try join(pc, code)
        _ = try await page(browser, path) { $0.contains("/machines/pair/answer") }
        join.process.signal(SIGINT)
        _ = await join.process.wait()
        _ = try await page(browser, path) { $0.contains("the code is still open") && $0.contains(code) }
        try await mum.restart()
        #expect(try await browser.get(path).text.contains(code), "The pages have kept the code.")
        await mum.kill()
        #expect(try await browser.get(path).status == 503)
        try mum.edit {
          try $0.execute(sql: "UPDATE invitation SET opened_boot = opened_boot - 285000 WHERE outcome IS NULL")
        }
        try await mum.start()
        let expired = try await page(browser, path) { $0.contains("The code has expired") }
        #expect(expired.contains("Open a new code") && !expired.contains(code), "\(expired)")
        try await mum.restart()
        #expect(try await browser.get(path).text.contains("knows nothing of this pairing any more"))
      }
    }

    @Test("A machine is renamed, called and removed on its page, after a question that says what is lost")
    func machine() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let browser = try await WebBrowser(mum)
        let device = try #require(try await mum.paired().first).deviceID.description
        let owner = try await browser.form("/machines/setup/owner", ["device": device, "name": "Emma", "child": ""])
        #expect(owner.location?.hasPrefix("/machines/\(device)/setup?at=") == true, "\(owner)")
        let renamed = try await browser.form("/machines/rename", ["device": device, "name": "\"><b>Emma's</b>"])
        #expect(renamed.location == "/machines/\(device)", "\(renamed)")
        let page = try await page(browser, "/machines/\(device)") { $0.contains("in touch") }
        #expect(
          page.contains("&lt;b&gt;Emma&#39;s") && !page.contains("<b>") && page.contains("used by Emma"), "\(page)")
        #expect(try await browser.form("/machines/sync", ["device": device]).location == "/machines/\(device)")
        let question = try await browser.get("/machines/\(device)/remove")
        #expect(question.text.contains("The last rules stay in force there"), "\(question)")
        #expect(question.text.contains("Emma has no other machine here"), "\(question)")
        #expect(try await mum.paired().count == 1)
        #expect(try await browser.form("/machines/remove", ["device": device]).location == "/machines")
        #expect(try await browser.get("/machines").text.contains("is removed."))
        #expect(try await mum.paired().isEmpty)
        try await eventually("the machine is told") { try await pc.paired().isEmpty }
      }
    }

    // MARK: - The pages

    /// Opens a code on the pages; returns the path of its page, and the long code.
    private func open(_ browser: WebBrowser, for child: String) async throws -> (path: String, code: String) {
      let opened = try await browser.form("/machines/pair", ["name": child])
      let path = try #require(opened.location, "\(opened)")
      let shown = try await browser.get(path)
      let code = try #require(shown.text.firstMatch(of: /<p class="code">(LK1[0-9A-Z-]+)</), "\(shown)").1
      #expect(shown.text.contains("<svg class=\"qr\"") && shown.text.contains("Good for 5 minutes."), "\(shown)")
      return (path, String(code))
    }

    /// Joins with a code, as a person does on the child's machine.
    private func join(
      _ node: NodeProcess, _ code: String, _ words: [String] = []
    ) throws -> (process: SpawnedProcess, output: String, talk: String) {
      let input = node.lab.newPath()
      try Data((code + "\n").utf8).write(to: URL(fileURLWithPath: input))
      return try node.launch(["pair", "join", "--code-stdin"] + words, input: input)
    }

    /// Waits until a page is as expected, and returns it.
    private func page(
      _ browser: WebBrowser, _ path: String, _ isExpected: (String) -> Bool
    ) async throws -> String {
      var text = ""
      try await eventually("\(path) is as expected") {
        text = try await browser.get(path).text
        return isExpected(text)
      }
      return text
    }
  }
}

extension WebBrowser.Answer {
  /// The path to which the answer leads.
  fileprivate var location: String? {
    headers.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location:") }
      .map { $0.dropFirst("location:".count).trimmingCharacters(in: .whitespaces) }
  }
}
