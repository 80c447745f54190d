import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The pages on which a parent sets what holds for a child, with real nodes behind them.
  @Suite struct WebFamilyTests {
    /// A parent, and the machine of a child on which some applications are installed.
    private struct Family {
      let mum: NodeProcess
      let pc: NodeProcess
      let browser: WebBrowser
      /// The ID of the child.
      let child: String

      init(_ lab: ProcessLab) async throws {
        let menu = lab.folder + "/share/applications"
        try FileManager.default.createDirectory(atPath: menu, withIntermediateDirectories: true)
        for (id, name) in [("supertuxkart", "SuperTuxKart"), ("gcompris", "<b>GCompris</b>"), ("kart", "Kart")] {
          try Data("[Desktop Entry]\nType=Application\nName=\(name)\nCategories=Game;\n".utf8)
            .write(to: URL(fileURLWithPath: "\(menu)/\(id).desktop"))
        }
        mum = try await lab.runningNode(.parent, "Kitchen laptop")
        pc = try await lab.node(.child, "Emma's PC", variables: ["XDG_DATA_DIRS": lab.folder + "/share"])
        try await pc.start()
        try await lab.pair(mum, pc)
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let (mum, pc) = (mum, pc)
        try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        try await eventually("it has told what is installed") {
          try await mum.api.ask(Endpoints.getInstalled, (nil, nil)).map(\.apps.count) == [3]
        }
        browser = try await WebBrowser(mum)
        child = try #require(try await mum.api.ask(Endpoints.getChildren).first).childID.description
      }

      /// Returns a rule that the child's machine holds; `nil` for none.
      func held(_ key: String) async throws -> String? {
        try await pc.api.ask(Endpoints.getRules, nil).rules.first { $0.key.text == key }?.value
      }

      /// Returns the version of a rule that a page of times shows.
      func version(_ rule: String) async throws -> String {
        let page = try await browser.get("/children/\(child)/times").text
        let start = try #require(page.ranges(of: "name=\"rule\" value=\"\(rule)\"").first)
        let match = try #require(page[start.upperBound...].firstMatch(of: /name="version" value="([0-9a-f]+)"/))
        return String(match.output.1)
      }

      /// Sends the form of a rule.
      func send(_ rule: String, _ fields: [String: String], version: String) async throws -> WebBrowser.Answer {
        let fields = fields.merging(["child": child, "rule": rule, "version": version]) { first, _ in first }
        return try await browser.form("/children/times", fields)
      }
    }

    @Test("Several applications are categorised at once, by one edit for each machine")
    func applications() async throws {
      try await ProcessLab.run { lab in
        let family = try await Family(lab)
        let (browser, child) = (family.browser, family.child)
        let path = "/children/\(child)/applications"
        let page = try await browser.get(path)
        for part in ["Applications of Emma", "SuperTuxKart", "name=\"app:kart\"", "&lt;b&gt;GCompris"] {
          #expect(page.status == 200 && page.text.contains(part), "\(part): \(page)")
        }
        #expect(try await !browser.get(path + "?q=compris").text.contains("SuperTuxKart"))
        let before = Set(try await family.mum.api.ask(Endpoints.getCommands, (nil, 100)).map(\.commandID))
        let fields = ["child": child, "category": "reward", "limit": "1h", "use": ""]
        // Each box has the version of the rules of its application.
        var ticked: [String: String] = [:]
        for match in page.text.matches(of: /name="(app:[a-z]+)" id="app-\d+" value="([0-9a-f]{8})"/) {
          ticked[String(match.output.1)] = String(match.output.2)
        }
        ticked = ticked.filter { ["app:kart", "app:gcompris", "app:supertuxkart"].contains($0.key) }
        let made = try await browser.form("/children/applications", fields.merging(ticked) { $1 })
        #expect(made.status == 303 && made.headers.contains(path), "\(made)")
        #expect(try await browser.get(path).text.contains("3 applications were changed."))
        let new = try await family.mum.api.ask(Endpoints.getCommands, (nil, 100)).filter {
          !before.contains($0.commandID)
        }
        #expect(new.count == 1, "\(new)")
        for app in ["kart", "gcompris", "supertuxkart"] {
          try await eventually("the machine has the rules of \(app)") {
            let (category, limit) = (
              try await family.held("app/\(app)/category"), try await family.held("app/\(app)/limit")
            )
            return category == "reward" && limit == "60"
          }
        }
        // The same form again is of a page from before the change.
        let late = try await browser.form("/children/applications", fields.merging(ticked) { $1 })
        #expect(late.status == 409 && late.text.contains("were changed meanwhile"), "\(late)")
        // What cannot be read changes nothing, and the page says so.
        let kart = try #require(late.text.firstMatch(of: /name="app:kart" id="app-\d+" value="([0-9a-f]{8})"/))
        let wrong = try await browser.form(
          "/children/applications", ["child": child, "app:kart": String(kart.output.1), "limit": "soon"])
        #expect(wrong.status == 400 && wrong.text.contains("value=\"soon\""), "\(wrong)")
        #expect(try await browser.form("/children/applications", ["child": child]).status == 400)
        let many = Dictionary(uniqueKeysWithValues: (0..<400).map { ("app:\($0)", "on") })
        #expect(try await browser.form("/children/applications", many).status == 400)
      }
    }

    @Test("A bedtime is said in words before it is saved, and the second of two tabs saves nothing")
    func times() async throws {
      try await ProcessLab.run { lab in
        let family = try await Family(lab)
        let browser = family.browser
        let shown = try await family.version("bedtime")
        let asked = try await family.send("bedtime", ["value": "20:00 – 7:00"], version: shown)
        for part in ["Emma: bedtime – 20:00-07:00.", "Until now, nothing is set.", "Nothing is saved yet."] {
          #expect(asked.status == 200 && asked.text.contains(part), "\(part): \(asked)")
        }
        #expect(try await family.held("schedule/bedtime") == nil)
        let saved = try await family.send(
          "bedtime", ["value": "20:00 – 7:00", "confirm": "yes"], version: shown)
        #expect(saved.status == 303, "\(saved)")
        let page = try await browser.get("/children/\(family.child)/times")
        for part in ["Saved.", "Now: 20:00-07:00", "class=\"night\""] {
          #expect(page.text.contains(part), "\(part): \(page)")
        }
        try await eventually("the machine has it") { try await family.held("schedule/bedtime") == "20:00-07:00" }

        // The other tab was opened before.
        for confirm in ["", "yes"] {
          let late = try await family.send(
            "bedtime", ["value": "21:30-7:00", "confirm": confirm], version: shown)
          #expect(late.status == 409 && late.text.contains("Nothing was saved"), "\(late)")
          #expect(late.text.contains("20:00-07:00") && late.text.contains("value=\"21:30-7:00\""), "\(late)")
        }
        let wrong = try await family.send("bedtime", ["value": "late"], version: try await family.version("bedtime"))
        #expect(wrong.status == 400 && wrong.text.contains("value=\"late\""), "\(wrong)")
        #expect(wrong.text.contains("is no time of the day"), "\(wrong)")
        let rules = try await family.mum.api.ask(Endpoints.getRules, "Emma").rules
        #expect(rules.first { $0.key == "schedule/bedtime" }?.value == "20:00-07:00")

        let today = try await family.mum.api.ask(Endpoints.getToday, "Emma").day
        let onlyToday = ["value": "3h", "when": "today", "confirm": "yes"]
        let daily = try await family.send("daily", onlyToday, version: try await family.version("daily"))
        #expect(daily.status == 303, "\(daily)")
        try await eventually("today has a limit") { try await family.held("today/\(today)/limit") == "180" }
        let days = try await browser.get("/children/\(family.child)/times").text
        let match = try #require(
          days.firstMatch(
            of: /name="key" value="today\/[^"]*limit"><input type="hidden" name="version" value="([0-9a-f]+)"/))
        let removal = [
          "child": family.child, "key": "today/\(today)/limit", "version": String(match.output.1), "confirm": "yes",
        ]
        #expect(try await browser.form("/children/days/remove", removal).status == 303)
        #expect(try await browser.form("/children/days/remove", removal).status == 409)
        try await eventually("the plan holds again") { try await family.held("today/\(today)/limit") == nil }
      }
    }

    @Test("A parent reads who changed what, keeps it as a file, sends a message and gives points")
    func activity() async throws {
      try await ProcessLab.run { lab in
        let family = try await Family(lab)
        let (browser, child) = (family.browser, family.child)
        _ = try await family.mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", "75")])))
        let page = try await browser.get("/activity?child=\(child)")
        for part in ["screen time a day – 1 h 15 min", "Kitchen laptop", "<th scope=\"col\">Before</th>"] {
          #expect(page.status == 200 && page.text.contains(part), "\(part): \(page)")
        }
        let file = try await browser.get("/activity.csv?child=\(child)")
        #expect(file.status == 200 && file.headers.contains("attachment; filename=\"latchkey-activity.csv\""))
        #expect(file.text.hasPrefix("number,") && file.text.contains("screen time a day 1 h 15 min"), "\(file)")
        let use = try await browser.get("/children/\(child)/use.csv")
        #expect(use.status == 200 && use.text.hasPrefix("child,day,appID"), "\(use)")

        #expect(
          try await browser.form("/children/message", ["child": child, "text": "Dinner \u{301}<i>"]).status == 303)
        try await eventually("the message is there") {
          try await family.pc.api.ask(Endpoints.getStatus).messages.map(\.text) == ["Dinner \u{301}<i>"]
        }
        let gift = ["child": child, "points": "2.5", "reason": "dishes", "deed": "give", "key": "0a-\(child)"]
        #expect(try await browser.form("/points/adjust", gift).status == 303)
        let day = try await browser.get("/children/\(child)?month=2026-11-01")
        #expect(try await browser.form("/points/adjust", gift).status == 303)
        #expect(try await browser.get("/children/\(child)").text.contains("Points were changed once"))
        for part in ["Emma gets 2.5 points.", "+2.5", "dishes", "Month from"] {
          #expect(day.text.contains(part), "\(part): \(day)")
        }
        let late = try await browser.form(
          "/children/later", ["child": child, "minutes": "30", "version": "0", "key": "0b-\(child)"])
        #expect(late.status == 400 && late.text.contains("There is no bedtime today"), "\(late)")
        for path in ["/children/nobody/times", "/children/nobody/applications", "/children/nobody/use.csv"] {
          #expect(try await browser.get(path).status == 404, "\(path)")
        }

        let own = try await WebBrowser(family.pc)
        for path in ["/activity", "/activity.csv", "/children/\(child)/times", "/children/\(child)/use.csv"] {
          #expect(try await own.get(path).status == 403, "\(path)")
        }
        for path in ["/children/times", "/children/applications", "/points/adjust", "/children/later"] {
          #expect(try await own.form(path, ["child": child]).status == 403, "\(path)")
        }
      }
    }
  }
}
