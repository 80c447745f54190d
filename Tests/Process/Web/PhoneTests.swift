import Foundation
import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Testing

extension ProcessTests {
  /// A phone on the sofa, with a real node and real pages behind it.
  @Suite struct PhoneTests {
    /// A phone: curl with a jar of its own, which trusts one authority.
    private struct Phone {
      let lab: ProcessLab
      let host: String
      let authority: String
      let jar: String

      init(_ lab: ProcessLab, at host: String, trusting authority: String) {
        (self.lab, self.host, self.authority, jar) = (lab, host, authority, lab.newPath())
      }

      func get(_ path: String) async throws -> WebBrowser.Answer { try await curl(path, []) }

      func post(_ path: String, _ fields: [String: String], origin: String? = nil) async throws -> WebBrowser.Answer {
        let data = fields.sorted { $0.key < $1.key }.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
        return try await curl(path, data + ["-H", "Origin: \(origin ?? "https://\(host)")"])
      }

      /// Sends a form of the page with the token that stands in it.
      func form(_ path: String, _ fields: [String: String]) async throws -> WebBrowser.Answer {
        let page = try await get("/").text
        let found = try #require(page.firstMatch(of: /name="token" value="([0-9a-f]+)"/))
        return try await post(path, fields.merging(["token": String(found.1)]) { first, _ in first })
      }

      func follow() throws -> (process: SpawnedProcess, output: String) {
        let output = lab.newPath() + ".stream"
        let process = try lab.spawn(
          "curl", ["-sN", "--noproxy", "*", "--cacert", authority, "-b", jar, "https://\(host)/live"], output: output,
          talk: output + ".err")
        return (process, output)
      }

      private func curl(_ path: String, _ words: [String]) async throws -> WebBrowser.Answer {
        let (body, head) = (lab.newPath(), lab.newPath())
        let made = try await lab.run(
          "curl",
          [
            "-s", "--noproxy", "*", "--cacert", authority, "-b", jar, "-c", jar, "-o", body, "-D", head, "-w",
            "%{http_code}", "https://\(host)\(path)",
          ] + words)
        return WebBrowser.Answer(
          status: Int(made.output) ?? 0, text: ProcessLab.read(body), headers: ProcessLab.read(head))
      }
    }

    private func parent(_ lab: ProcessLab) async throws -> NodeProcess {
      let (mum, pc) = try await lab.pairedFamily()
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      return mum
    }

    /// Lets phones come; returns the host of the pages, and that of the trust step.
    func begin(_ browser: WebBrowser) async throws -> (pages: String, trust: String) {
      let begun = try await browser.form("/phones/begin", [:])
      #expect(begun.status == 303, "\(begun)")
      var found: (String, String)?
      try await eventually("the pages can be reached") {
        let page = try await browser.get("/phones").text
        guard let trust = page.firstMatch(of: /http:\/\/(127\.0\.0\.1:[0-9]+)\/trust/) else { return false }
        _ = try await browser.form("/phones/offer", [:])
        let shown = try await browser.get("/phones").text
        guard let pages = shown.firstMatch(of: /https:\/\/(127\.0\.0\.1:[0-9]+)\/in/) else { return false }
        found = (String(pages.1), String(trust.1))
        return true
      }
      return try #require(found)
    }

    /// Takes the trust step; returns the file with the authority.
    private func trust(_ browser: WebBrowser, _ host: String) async throws -> String {
      let (lab, file) = (browser.lab, browser.lab.newPath())
      let words = ["-s", "--noproxy", "*", "--retry", "5", "--retry-connrefused"]
      let page = try await lab.run("curl", words + ["http://\(host)/trust"])
      #expect(page.output.contains("Trust the computer") && !page.output.contains("https://"), "\(page)")
      #expect(
        try await lab.run("curl", words + ["http://\(host)/trust/latchkey.crt", "-o", file + ".der"]).status == 0)
      #expect(
        try await lab.run("curl", words + ["-o", "/dev/null", "-w", "%{http_code}", "http://\(host)/"]).output == "404")
      #expect(
        try await lab.run("openssl", ["x509", "-inform", "der", "-in", file + ".der", "-out", file]).status == 0)
      // The person compares what the phone shows with the screen of the machine.
      let seen = try await lab.run("openssl", ["x509", "-in", file, "-noout", "-fingerprint", "-sha256"]).output
      let digits = try #require(seen.split(separator: "=").last).filter(\.isHexDigit).prefix(16)
      let shown = try await browser.get("/phones").text.filter { $0 != " " }
      #expect(digits.count == 16 && shown.contains(digits))
      return file
    }

    @Test(
      "A process whose folder of phones was replaced ends with the reason, and the next one opens the new folder",
      .enabled(if: FileConfinement.isAvailable, "the kernel has no Landlock 2"))
    func restored() async throws {
      try await ProcessLab.run { lab in
        let mum = try await parent(lab)
        let browser = try await WebBrowser(mum)
        let host = try await begin(browser).pages
        let folder = PhonePlace.folder(in: mum.folder)
        #expect(rename(folder, folder + ".old") == 0)
        #expect(try await lab.run("cp", ["-a", folder + ".old", folder]).status == 0)
        let end = await browser.process.wait()
        let log = ProcessLab.read(mum.folder + ".web.log")
        #expect(end != .exited(0) && log.contains("was replaced"), "\(end) \(log)")
        // It writes the new folder, and has the port that the restored one names.
        #expect(try await begin(try await WebBrowser(mum)).pages == host)
      }
    }

    private func code(_ browser: WebBrowser) async throws -> String {
      #expect(try await browser.form("/phones/offer", [:]).status == 303)
      let page = try await browser.get("/phones").text
      return String(try #require(page.firstMatch(of: /class="digits">([0-9A-Z]{4}(-[0-9A-Z]{4}){3})</)).1)
    }

    /// Signs a phone in.
    private func signIn(_ phone: Phone, _ browser: WebBrowser, as label: String, _ right: BrowserRight) async throws {
      let code = try await code(browser)
      let claimed = try await phone.post("/in", ["code": code])
      #expect(claimed.status == 303 && claimed.headers.contains("/wait"), "\(claimed)")
      let waiting = try await phone.get("/wait")
      let digits = String(try #require(waiting.text.firstMatch(of: /class="digits">([0-9]{2})</)).1)
      #expect(try await phone.get("/").status == 401, "Nobody has said yes.")
      #expect(try await browser.get("/phones").text.contains("class=\"digits\">\(digits)<"))
      let fields = ["digits": digits, "answer": "yes", "label": label, "right": right.rawValue]
      let answered = try await browser.form("/phones/answer", fields)
      #expect(answered.status == 303, "\(answered)")
      let entered = try await phone.get("/wait")
      #expect(entered.status == 200 && entered.headers.contains("__Host-latchkey="), "\(entered)")
      #expect(try await phone.get("/").status == 200)
      // The code and the waiting are over.
      #expect(try await phone.post("/in", ["code": code]).status == 410)
      #expect(try await phone.get("/wait").status != 200)
    }

    @Test("A phone trusts, signs in after a yes, only looks, and is signed out at once")
    func looking() async throws {
      try await ProcessLab.run { lab in
        let mum = try await parent(lab)
        let browser = try await WebBrowser(mum)
        let (host, trustHost) = try await begin(browser)
        let authority = try await trust(browser, trustHost)

        let words = ["-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "https://\(host)/"]
        #expect(try await lab.run("curl", words).status == 60, "Without trust, nothing is opened.")
        let phone = Phone(lab, at: host, trusting: authority)
        if FileConfinement.isAvailable {
          let status = ProcessLab.read("/proc/\(browser.process.pid)/status")
          #expect(status.contains("NoNewPrivs:\t1"), "\(status)")
          #expect(ProcessLab.read(mum.folder + ".web.log").contains("confined to their own files"))
        }
        #expect(try await phone.get("/").status == 401)
        #expect(try await phone.get("/in").status == 200)
        #expect(try await phone.post("/in", ["code": "0000-0000-0000-0000"]).status == 403)
        let right = try await code(browser)
        // Somebody in the network sends wrong codes while the right one is shown.
        for _ in 0..<12 {
          #expect(try await phone.post("/in", ["code": "0000-0000-0000-0000"]).status == 403)
        }
        #expect(try await browser.get("/phones").text.contains(right))
        #expect(try await phone.post("/in", ["code": right], origin: "https://evil.example").status == 403)
        try await signIn(phone, browser, as: "Anna's phone", .look)

        let today = try await phone.get("/")
        #expect(today.text.contains("Emma") && today.text.contains("class=\"looking\""), "\(today)")
        #expect(try await phone.get("/machines").status == 200)
        #expect(try await phone.get("/phones").status == 403)
        let child = try #require(try await mum.api.ask(Endpoints.getChildren).first).childID.description
        let locked = try await phone.form("/children/lock", ["child": child, "lock": "on"])
        #expect(locked.status == 403, "\(locked)")
        #expect(try await phone.form("/phones/begin", [:]).status == 403)
        #expect(try await mum.api.ask(Endpoints.getRules, "Emma").rules.allSatisfy { $0.key != "lock" })

        let stream = try phone.follow()
        try await eventually("the stream is open") { ProcessLab.read(stream.output).contains(": open") }
        #expect(try await mum.latchkey("browsers").output.contains("Anna's phone"))
        #expect(try await mum.latchkey("browsers", "remove", "Anna's phone").status == 0)
        _ = await stream.process.wait()
        #expect(try await phone.get("/").status == 401)
        #expect(try await mum.api.ask(Endpoints.getBrowsers).isEmpty)

        // With the last phone, and when none may come, the authority is erased.
        #expect(try await browser.form("/phones/end", [:]).status == 303)
        try await eventually("the authority is erased") { access(mum.folder + "/web/authority.pem", F_OK) != 0 }
        try await eventually("nothing listens") { try await lab.run("curl", words).status == 7 }
      }
    }

    @Test("A parent's phone does what a parent does, the audit names it, and its place outlives both processes")
    func acting() async throws {
      try await ProcessLab.run { lab in
        let mum = try await parent(lab)
        var browser = try await WebBrowser(mum)
        let (host, trustHost) = try await begin(browser)
        let phone = Phone(lab, at: host, trusting: try await trust(browser, trustHost))
        try await signIn(phone, browser, as: "Anna's phone", .parent)
        let child = try #require(try await mum.api.ask(Endpoints.getChildren).first).childID.description
        let pages = ["/machines", "/children/\(child)", "/children/\(child)/times", "/children/\(child)/applications"]
        for path in pages { #expect(try await phone.get(path).status == 200, "\(path)") }
        for path in ["/machines/pair", "/activity.csv", "/children/\(child)/use.csv"] {
          #expect(try await phone.get(path).status == 403, "\(path)")
        }
        // The button of one page, pressed twice, gives once.
        let fields = ["child": child, "minutes": "15", "key": "0a1b-\(child)"]
        for words in ["Emma has 15 min more", "once, although"] {
          #expect(try await phone.form("/children/grant", fields).status == 303)
          #expect(try await phone.get("/").text.contains(words))
        }
        #expect(try await phone.get("/activity").text.contains("through Anna&#39;s phone"))
        let given = try #require(try await mum.api.ask(Endpoints.getCommands, (nil, 1)).first)
        #expect(given.through == "Anna's phone")
        let shown = try await mum.latchkey("commands", "show", given.commandID.description)
        #expect(shown.output.contains("this machine, through Anna's phone"), "\(shown)")

        // The process of the pages is killed, and another one takes its place.
        browser.process.signal(SIGKILL)
        _ = await browser.process.wait()
        browser = try await WebBrowser(mum)
        try await eventually("the phone is there again") { try await phone.get("/").status == 200 }
        browser.process.signal(SIGTERM)
        _ = await browser.process.wait()
        await mum.kill()
        let through = try mum.read {
          try String.fetchAll(
            $0, sql: "SELECT DISTINCT through FROM audit WHERE action = 'register.set' AND through IS NOT NULL")
        }
        #expect(through == ["Anna's phone"])
      }
    }

    @Test("A proxy's name is refused with the command that allows it, and a phone comes through it from then on")
    func proxy() async throws {
      try await ProcessLab.run { lab in
        let mum = try await parent(lab)
        let browser = try await WebBrowser(mum)
        let (host, trustHost) = try await begin(browser)
        let name = "pc.example.ts.net"
        // As `tailscale serve` does: without a look at the certificate, under the browser's name.
        func through(_ path: String, _ words: [String] = []) async throws -> (status: String, text: String) {
          let body = lab.newPath()
          let asked = try await lab.run(
            "curl",
            [
              "-sk", "--noproxy", "*", "-o", body, "-w", "%{http_code}", "-H", "Host: \(name)",
              "https://\(host)\(path)",
            ]
              + words)
          return (asked.output, ProcessLab.read(body))
        }
        let refused = try await through("/in")
        #expect(refused.status == "421" && refused.text.contains("latchkey web hosts add NAME"), "\(refused)")
        #expect(!refused.text.contains(name), "The name is the asker's own.")
        #expect(try await browser.get("/", ["-H", "Host: \(name)"]).text.contains("latchkey web hosts add NAME"))
        #expect(try await mum.latchkey("web", "hosts", "add", "https://\(name)").status == 64)
        #expect(try await mum.latchkey("web", "hosts", "add", name).status == 0)
        #expect(try await mum.latchkey("web", "hosts").output.contains("https://\(name)/"))
        try await eventually("the name is answered") {
          let asked = try await lab.run(
            "curl",
            [
              "-sk", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(name)",
              "https://\(host)/in",
            ])
          return asked.output == "200"
        }
        // The pages of the machine's own browser are under no other name than before.
        #expect(try await browser.get("/", ["-H", "Host: \(name)"]).status == 421)
        let code = try await code(browser)
        #expect(try await browser.get("/phones").text.contains("https://\(name)/in<"))
        #expect(try await through("/in", ["-d", "code=\(code)", "-H", "Origin: https://evil.example"]).status == "403")
        #expect(try await through("/in", ["-d", "code=\(code)", "-H", "Origin: https://\(host)"]).status == "403")
        #expect(try await through("/in", ["-d", "code=\(code)", "-H", "Origin: https://\(name)"]).status == "303")
        let trust = try await lab.run(
          "curl",
          [
            "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(name)",
            "http://\(trustHost)/trust",
          ]
        )
        #expect(trust.output == "421")
        #expect(try await mum.latchkey("web", "hosts", "remove", name).status == 0)
        #expect(try await mum.latchkey("web", "hosts", "remove", name).status == 67)
        try await eventually("the pages are there again") { try await through("/in").status == "421" }
      }
    }

    @Test("On the browsers' socket, nobody is answered who has no browser's cookie")
    func strangers() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.pairedFamily().parent
        let cookie = String(repeating: "0a", count: 24)
        let made = try await mum.api.ask(
          Endpoints.addReceiver, NewReceiver(name: "ha", kind: .mqtt, rights: [.grant], mostMinutes: 30))
        for header in [nil, "Bearer \(cookie)", "Bearer \(made.token)", "Basic x"] as [String?] {
          let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", mum.folder + "/web.sock"]
          let asked = try await lab.run(
            "curl", words + (header.map { ["-H", "Authorization: \($0)"] } ?? []) + ["http://latchkey/v1/status"])
          #expect(asked.output == "403", "\(header ?? "-"): \(asked)")
        }
        var status = stat()
        #expect(stat(mum.folder + "/web.sock", &status) == 0 && status.st_mode & 0o777 == 0o600)
      }
    }
  }
}
