import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Testing

extension ProcessTests {
  /// Who is let in to the pages, with real processes.
  @Suite struct WebEntryTests {
    /// A stand-in for xdg-open, which notes its arguments and the page that it is given.
    private static let opener = """
      #!/bin/sh
      printf '%s\\n' "$#" "$1" "$(stat -c %a "$1")" > "$XDG_RUNTIME_DIR/opened.part"
      cat "$1" >> "$XDG_RUNTIME_DIR/opened.part"
      # What every account can read of every program at this moment.
      cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' > "$XDG_RUNTIME_DIR/programs"
      mv "$XDG_RUNTIME_DIR/opened.part" "$XDG_RUNTIME_DIR/opened"

      """

    @Test("The dashboard starts the pages, and takes its link to the browser in a file that others cannot read")
    func dashboard() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let (runtime, folder) = (lab.newPath(), lab.newPath())
        for path in [runtime, folder] { mkdir(path, 0o700) }
        try Self.opener.write(toFile: folder + "/xdg-open", atomically: true, encoding: .utf8)
        chmod(folder + "/xdg-open", 0o755)
        let path = "\(folder):\(lab.environment["PATH"] ?? "")"
        let made = try await lab.run(
          BuiltProgram.path, ["dashboard", "--state-dir", mum.folder],
          variables: ["XDG_RUNTIME_DIR": runtime, "PATH": path])
        #expect(made.status == 0 && made.output.isEmpty, "\(made)")
        defer { for process in Self.servers(of: mum.folder) { kill(process, SIGKILL) } }
        #expect(Self.servers(of: mum.folder).count == 1)
        try await eventually("the browser is opened") { !ProcessLab.read(runtime + "/opened").isEmpty }
        let opened = ProcessLab.read(runtime + "/opened")
        let lines = opened.split(separator: "\n").map(String.init)
        #expect(lines.prefix(1) == ["1"] && lines[1].hasPrefix(runtime) && lines[2] == "600", "\(opened)")
        let link = try #require(opened.firstMatch(of: /name="link" value="([0-9a-f]{48})"/)).1
        let address = try #require(opened.firstMatch(of: /action="(http:\/\/lk-[a-z0-9]+\.localhost:[0-9]+\/in)"/)).1
        let programs = ProcessLab.read(runtime + "/programs")
        #expect(
          programs.contains("--background") && !programs.contains(link), "No program has the link in its arguments.")
        #expect(access(lines[1], F_OK) == 0)
        let post = ["-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Origin: null"]
        let entered = try await lab.run("curl", post + ["-d", "link=\(link)", String(address)])
        #expect(entered.output == "200", "\(entered)")
        #expect(access(lines[1], F_OK) != 0, "The file is removed when its link is used.")
        #expect(try await lab.run("curl", post + ["-d", "link=\(link)", String(address)]).output == "410")

        // A second one uses the same process.
        let second = try await lab.run(
          BuiltProgram.path, ["dashboard", "--print", "--state-dir", mum.folder],
          variables: ["XDG_RUNTIME_DIR": runtime, "PATH": path])
        #expect(second.output.hasPrefix(address.dropLast(2)) && Self.servers(of: mum.folder).count == 1, "\(second)")
      }
    }

    /// Returns the processes that serve the pages of a node.
    private static func servers(of folder: String) -> [Int32] {
      ProcFile.processes().filter { process in
        let words = (ProcFile.read("/proc/\(process)/cmdline") ?? []).split(separator: 0).map {
          String(decoding: $0, as: UTF8.self)
        }
        return words.dropFirst().first == "web" && words.contains(folder)
      }
    }

    @Test("Each attack from another site, or with what was used already, is refused")
    func attacks() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        let browser = try await WebBrowser(mum)
        let own = "http://\(browser.host)"
        for name in ["evil.example", "localhost", "127.0.0.1:1", "x.\(browser.host)"] {
          let rebound = try await browser.get("/", ["-H", "Host: \(name)"])
          #expect(rebound.status == 421 && rebound.text.contains("latchkey dashboard"), "\(rebound)")
        }
        // Two names, of which one is right.
        let port = try #require(browser.host.split(separator: ":").last)
        for others in [[browser.host, "evil.example"], ["evil.example", browser.host], [browser.host, browser.host]] {
          let head = "GET / HTTP/1.1\r\n" + others.map { "Host: \($0)\r\n" }.joined() + "Connection: close\r\n\r\n"
          let script = #"exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; cat <&3"#
          let answer = try await lab.run("bash", ["-c", script, "bash", String(port), head])
          #expect(answer.output.hasPrefix("HTTP/1.1 421 "), "\(answer)")
        }
        let fields = ["token": browser.token, "child": "Emma", "lock": "on"]
        for origin in ["http://evil.example", "null", "http://localhost:1", nil] {
          #expect(try await browser.post("/children/lock", fields, origin: origin).status == 403)
        }
        let untrusted = try await browser.post("/children/lock", ["child": "Emma", "lock": "on"], origin: own)
        #expect(untrusted.status == 403, "\(untrusted)")
        let crossSite = try await browser.post(
          "/children/lock", fields, origin: own, ["-H", "Sec-Fetch-Site: cross-site"])
        #expect(crossSite.status == 403)
        #expect(try await browser.get("/", ["-b", "latchkey=0"]).status == 401)
        #expect(try await browser.get("/", ["-X", "DELETE", "-H", "Origin: \(own)"]).status == 405)
        let used = try #require(URLComponents(string: browser.address)?.queryItems?.first?.value)
        #expect(try await browser.post("/in", ["link": used], origin: "null").status == 410)
        // Ten wrong links end an open one.
        let open = try await browser.link()
        let secret = try #require(URLComponents(string: open)?.queryItems?.first?.value)
        for _ in 0..<10 { #expect(try await browser.post("/in", ["link": "wrong"], origin: "null").status == 403) }
        #expect(try await browser.post("/in", ["link": secret], origin: "null").status == 410)
        let long = try await browser.form("/children/lock", ["child": String(repeating: "x", count: 20_000)])
        #expect(long.status == 400)
        for path in ["/%00", "/style.css", "/../../etc/passwd", "//", "/live/x"] {
          #expect(try await browser.get(path).status == 404, "\(path)")
        }
        let page = try await browser.get("/")
        #expect(page.headers.lowercased().contains("content-security-policy: default-src 'none'"), "\(page)")
        #expect(page.headers.lowercased().contains("cache-control: no-store"))
        for asset in page.text.matches(of: /(?:href|src)="(\/(?:style|script|icon)-[0-9a-f]+\.\w+)"/) {
          #expect(try await browser.get(String(asset.1)).status == 200, "\(asset.1)")
        }
        #expect(try await browser.form("/out", [:]).status == 200)
        #expect(try await browser.get("/").status == 401)
      }
    }

    @Test("Without a private folder of the session, nothing is served, and a sentence says what to do")
    func folder() async throws {
      try await ProcessLab.run { lab in
        let mum = try await lab.node(.parent, "Kitchen laptop")
        let open = lab.newPath()
        mkdir(open, 0o700)
        chmod(open, 0o755)
        let refused = try await lab.run(
          BuiltProgram.path, ["dashboard", "--print", "--state-dir", mum.folder], variables: ["XDG_RUNTIME_DIR": open])
        #expect(refused.status == 69 && refused.talk.contains("log in on the desktop"), "\(refused)")
      }
    }
  }

  /// Tests that need two users.
  @Suite(.enabled(if: geteuid() == 0, "only root can be another user; run Tools/test by sudo"))
  struct ForeignBrowserAsRoot {
    @Test("Another account with the right link is not even answered")
    func foreign() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let (runtime, folder) = (lab.newPath(), lab.newPath())
        mkdir(runtime, 0o700)
        let web = try lab.spawn(
          BuiltProgram.path, ["web", "--state-dir", folder, "--idle", "1h"], variables: ["XDG_RUNTIME_DIR": runtime],
          output: "/dev/null", talk: folder + ".log")
        try await eventually("the pages are served") { WebBrowser.hasSocket(runtime) }
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: runtime).first)
        let socket = try #require(LocalSocket.connect(to: "\(runtime)/\(name)/web.sock"))
        #expect(socket.write(Array("/\n".utf8)[...]) == 2)
        var lines: [UInt8] = []
        try await eventually("a link is given") {
          guard let more = socket.read() else { return true }
          lines += more
          return false
        }
        let address = try #require(String(decoding: lines, as: UTF8.self).split(separator: "\n").last.map(String.init))
        let words = ["-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", address]
        let other = try await lab.run(
          "setpriv", ["--reuid", "65534", "--regid", "65534", "--clear-groups", "curl"] + words)
        #expect(other.output == "000" && other.status != 0, "\(other)")
        // One that connects again and again, and stays, is cut off each time. The owner is served.
        let host = try #require(URLComponents(string: address))
        let loop = """
          for i in $(seq 500); do exec {fd}<>"/dev/tcp/127.0.0.1/$1"; done
          read -r -t 60 -u "$fd"
          test $? -le 128
          """
        let stays = try await lab.run(
          "setpriv",
          ["--reuid", "65534", "--regid", "65534", "--clear-groups", "bash", "-c", loop, "bash", "\(host.port ?? 0)"])
        #expect(stays.status == 0, "\(stays)")
        #expect(try await lab.run("curl", words).output == "200")
        web.signal(SIGTERM)
        #expect(await web.wait() == .exited(0))
      }
    }
  }
}
