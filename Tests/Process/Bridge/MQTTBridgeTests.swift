import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

extension ProcessTests {
  /// The bridge to an MQTT broker, with a real one: Protocol/14-bridge.md §4.
  @Suite struct MQTTBridgeTests {
    /// A family with a broker, before a bridge.
    struct Home {
      var mum: NodeProcess
      var pc: NodeProcess
      var broker: MosquittoBroker
      /// What stands for Emma in topics.
      var emma: String

      init(_ lab: ProcessLab) async throws {
        (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", "120")])))
        // No more than what is left of the day is left, so the day begins half a day from now.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let hour = (calendar.component(.hour, from: Date()) + 12) % 24
        _ = try await mum.api.ask(Endpoints.setSettings, RuleRequest([.init("family/dayStart", "\(hour)")]))
        let (pc, mum) = (pc, mum)
        try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        try await eventually("the machine has the limit") {
          try await mum.api.ask(Endpoints.getChildren).first?.untold.isEmpty == true
        }
        broker = try await MosquittoBroker(lab)
        emma = HomeTopics.child(try #require(try await mum.api.ask(Endpoints.getChildren).first).childID)
      }

      func add(_ node: NodeProcess, authority: String? = nil, secret: String? = nil, may: [String] = []) async throws {
        let added = try await node.latchkey(
          [
            "receivers", "add", "mqtt", "--name", "home", "--server", "localhost:\(broker.port)", "--ca",
            authority ?? broker.authority, "--username", "latchkey", "--secret-file", secret ?? broker.secret,
          ] + may)
        guard added.status == 0 else { throw LabFault("\(added)") }
        #expect(!may.isEmpty == added.talk.contains("whoever may publish"), "\(added)")
      }

      func bridge(_ node: NodeProcess) throws -> (process: SpawnedProcess, output: String, talk: String) {
        try node.launch(["bridge", "home", "--log-level", "debug"])
      }

      /// Returns what a bridge says is wrong.
      func fault(_ node: NodeProcess) async throws -> String? {
        try await node.api.ask(Endpoints.getReceivers).first?.fault
      }

      /// The grants that Emma has today.
      func grants() async throws -> [String] {
        try await mum.api.ask(Endpoints.getRules, "Emma").rules.filter { $0.key.text.contains("/grant/") }
          .compactMap(\.value)
      }

      func press(_ minutes: Int, ago: Int64 = 0) -> String {
        "{\"minutes\":\(minutes),\"at\":\(Int64(Date().timeIntervalSince1970 * 1_000) - ago)}"
      }
    }

    @Test("A press is one grant although it arrives 200 times and others are kept; the state is right after each fault")
    func served() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        let (broker, emma) = (home.broker, home.emma)
        let grant = HomeTopics.press(emma, .grant)
        // What the broker keeps from before is never done.
        try await broker.publish(grant, home.press(7), isRetained: true)
        for number in 1..<50 {
          try await broker.publish(HomeTopics.press("ab\(number)", .grant), home.press(7), isRetained: true)
        }
        try await home.add(home.mum, may: ["--may", "grant,lock,answer", "--at-most", "60m"])
        let bridge = try home.bridge(home.mum)
        try await eventually("the state is there") { try await broker.state(of: emma)?.left == 7_200 }
        let config = try await broker.kept(HomeTopics.discovery(emma))
        #expect(config.contains("\"name\":\"Emma\"") && config.contains("button.emma_15_min_more"), "\(config)")
        #expect(try await broker.kept(HomeTopics.fresh(emma)) == "online")

        let events = try await broker.follow(HomeTopics.event(emma))
        try await broker.publish(grant, lines: [String](repeating: home.press(15), count: 200))
        try await eventually("the time is there") { try await broker.state(of: emma)?.left == 8_100 }
        try await broker.publish(grant, home.press(5, ago: 90_000))
        try await eventually("the late press is refused in words") {
          ProcessLab.read(events).contains("came too late")
        }
        // More than the day's most, which the node counts.
        try await broker.publish(grant, home.press(50))
        try await eventually("the most for a day is told") { ProcessLab.read(events).contains("may give 60 min a day") }
        #expect(try await home.grants() == ["15"])

        // The broker is killed, and forgets everything.
        await broker.kill()
        try await eventually("the fault is told") {
          try await home.fault(home.mum)?.contains("cannot be reached") == true
        }
        _ = try await home.mum.latchkey("unlock", "Emma")
        try await broker.start()
        try await eventually("the state is there again") { try await broker.state(of: emma)?.left == 8_100 }
        try await eventually("nothing is wrong") { try await home.fault(home.mum) == nil }

        // The lock is shown once the machine has it, and not before.
        await home.pc.kill()
        try await eventually("nobody knows what is left") {
          try await broker.state(of: emma)?.status == .unknown
        }
        let stale = try #require(try await broker.state(of: emma))
        #expect(stale.left == nil && stale.lock == false, "\(stale)")
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        try await broker.publish(HomeTopics.press(emma, .lock), "{\"on\":true,\"at\":\(now)}")
        try await eventually("it waits for the machine") { try await broker.state(of: emma)?.waiting == 1 }
        #expect(try await broker.state(of: emma)?.lock == false)
        try await home.pc.start()
        try await eventually("it is locked") { try await broker.state(of: emma)?.lock == true }
        #expect(try await broker.state(of: emma)?.status == .locked)

        // A child who is removed disappears.
        _ = try await home.mum.latchkey("children", "remove", "Emma", input: "yes\n")
        try await eventually("the device is gone") { try await broker.kept(HomeTopics.discovery(emma)).isEmpty }
        #expect(try await broker.kept(HomeTopics.state(emma)).isEmpty)

        bridge.process.signal(SIGTERM)
        #expect(await bridge.process.wait() == .exited(0))
        let log = ProcessLab.read(bridge.talk)
        #expect(!log.contains("a secret of hers") && !log.contains("Bearer"), "\(log)")
      }
    }

    @Test("A press from ahead of the clock is one grant, also when the bridge is killed and sees it again")
    func again() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        let grant = HomeTopics.press(home.emma, .grant)
        try await home.add(home.mum, may: ["--may", "grant", "--at-most", "60m"])
        let first = try home.bridge(home.mum)
        try await eventually("the state is there") { try await home.broker.state(of: home.emma) != nil }
        let ahead = home.press(15, ago: -50_000)
        try await home.broker.publish(grant, ahead)
        try await eventually("it is granted") { try await home.broker.state(of: home.emma)?.left == 8_100 }
        first.process.signal(SIGKILL)
        _ = await first.process.wait()
        let before = try #require(try await home.broker.state(of: home.emma)).at
        _ = try home.bridge(home.mum)
        try await eventually("the bridge is back") { try await home.broker.state(of: home.emma)?.at ?? 0 > before }
        try await home.broker.publish(grant, ahead)
        // The broker confirms the first before the second is published: they arrive in this order.
        try await home.broker.publish(grant, home.press(5))
        try await eventually("the next one is granted") { try await home.grants().count > 1 }
        #expect(try await home.grants().sorted() == ["15", "5"])
        #expect(try await home.mum.api.ask(Endpoints.getReceivers).first?.usedMinutes == 20)
      }
    }

    @Test("A request is an event, and its answer comes back; after a restart it is not told again")
    func asked() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        try await home.add(home.mum, may: ["--may", "answer", "--at-most", "60m"])
        var bridge = try home.bridge(home.mum)
        try await eventually("the state is there") { try await home.broker.state(of: home.emma) != nil }
        let events = try await home.broker.follow(HomeTopics.event(home.emma))
        func asked() -> [ChildEvent] {
          ProcessLab.read(events).split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(ChildEvent.self, from: Data(line.drop { $0 != "{" }.utf8))
          }.filter { $0.type == "asked" }
        }
        // The subscription is in force before something is published.
        try await eventually("events arrive") {
          try await home.broker.publish(HomeTopics.press(home.emma, .answer), "?")
          return ProcessLab.read(events).contains("refused")
        }
        #expect(try await home.pc.latchkey("ask", "30m", "--reason", "finish the level").status == 0)
        try await eventually("it is told") { asked().count == 1 }
        let event = try #require(asked().first)
        #expect(event.minutes == 30 && event.reason == "finish the level", "\(event)")
        try await eventually("it is counted") { try await home.broker.state(of: home.emma)?.requests == 1 }

        bridge.process.signal(SIGKILL)
        _ = await bridge.process.wait()
        bridge = try home.bridge(home.mum)
        try await eventually("the bridge is back") {
          try await home.mum.api.ask(Endpoints.getReceivers).first?.isRunning == true
        }
        let request = try #require(event.request)
        try await eventually("it is answered") {
          let now = Int64(Date().timeIntervalSince1970 * 1_000)
          try await home.broker.publish(
            HomeTopics.press(home.emma, .answer),
            "{\"request\":\"\(request)\",\"yes\":true,\"minutes\":20,\"at\":\(now)}")
          return try await home.pc.api.ask(Endpoints.getRequests, nil).first?.state == .approved
        }
        try await eventually("it is no longer counted") { try await home.broker.state(of: home.emma)?.requests == 0 }
        #expect(asked().count == 1)
      }
    }

    @Test("Requests within a minute are an event each; of many presses each is done or told; a forged end is put right")
    func once() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        try await home.add(home.mum, may: ["--may", "grant", "--at-most", "600m"])
        _ = try home.bridge(home.mum)
        try await eventually("the state is there") { try await home.broker.state(of: home.emma) != nil }
        let events = try await home.broker.follow(HomeTopics.event(home.emma))
        func told(_ type: String) -> [ChildEvent] {
          ProcessLab.read(events).split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(ChildEvent.self, from: Data(line.drop { $0 != "{" }.utf8))
          }.filter { $0.type == type }
        }
        let grant = HomeTopics.press(home.emma, .grant)
        var malformed = 0
        try await eventually("events arrive") {
          try await home.broker.publish(grant, "?")
          malformed += 1
          return !told(ChildEvent.refused).isEmpty
        }
        for minutes in [21, 22, 23] {
          #expect(try await home.pc.latchkey("ask", "\(minutes)m").status == 0)
          try await eventually("it is told") { told("asked").last?.minutes == minutes }
        }

        let own = MQTTBridge.name(of: "home", at: try await home.mum.api.ask(Endpoints.getStatus).deviceID)
        try await home.broker.forge(HomeTopics.online(own), "offline")
        try await eventually("it is put right") { try await home.broker.kept(HomeTopics.online(own)) == "online" }

        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        try await home.broker.publish(
          grant, lines: (0..<150).map { "{\"id\":\"press-\($0)\",\"minutes\":1,\"at\":\(now)}" })
        try await eventually("each is done or told") {
          let done = try await home.mum.api.ask(Endpoints.getReceivers).first?.usedMinutes ?? 0
          return done + told(ChildEvent.refused).count - malformed == 150
        }
        #expect(told("asked").count == 3)
      }
    }

    @Test("A certificate of a stranger and a wrong password are told in words, and nothing is published")
    func wrong() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        try await home.add(home.mum, authority: try await MosquittoBroker.stranger(lab))
        var bridge = try home.bridge(home.mum)
        try await eventually("the certificate is told") {
          try await home.fault(home.mum)?.contains("certificate of the MQTT broker") == true
        }
        bridge.process.signal(SIGTERM)
        _ = await bridge.process.wait()
        let secret = lab.newPath()
        try Data("wrong\n".utf8).write(to: URL(fileURLWithPath: secret))
        chmod(secret, 0o600)
        try await home.add(home.mum, secret: secret)
        bridge = try home.bridge(home.mum)
        try await eventually("the password is told") {
          try await home.fault(home.mum)?.contains("refused the user name or the password") == true
        }
        #expect(try await home.broker.state(of: home.emma) == nil)
        chmod(secret, 0o644)
        let refused = try await home.mum.latchkey([
          "receivers", "add", "mqtt", "--server", "localhost", "--username", "latchkey", "--secret-file", secret,
        ])
        #expect(refused.status != 0 && refused.talk.contains("chmod 600"), "\(refused)")
      }
    }

    @Test("Of two parents' bridges one serves; the other says so, and takes over when the first is killed")
    func two() async throws {
      try await ProcessLab.run { lab in
        let home = try await Home(lab)
        let dad = try await lab.runningNode(.parent, "Dad's laptop")
        try await lab.pair(dad, home.pc)
        // Before that, another child of the same name would be added.
        try await eventually("dad knows Emma") { try await !dad.api.ask(Endpoints.getChildren).isEmpty }
        _ = try await dad.api.ask(Endpoints.renameDevice, (home.pc.name, RenameRequest(childName: "Emma")))
        try await home.add(home.mum)
        try await home.add(dad)
        let first = try home.bridge(home.mum)
        try await eventually("the first one serves") { try await home.broker.state(of: home.emma) != nil }
        let claim = try await home.broker.kept(HomeTopics.claim(home.emma))
        let device = try await home.broker.kept(HomeTopics.discovery(home.emma))
        _ = try home.bridge(dad)
        try await eventually("the second one says why it does not") {
          try await home.fault(dad)?.contains("another parent") == true
        }
        #expect(try await home.broker.kept(HomeTopics.claim(home.emma)) == claim)
        first.process.signal(SIGKILL)
        _ = await first.process.wait()
        try await eventually("the second one serves") {
          let now = try await home.broker.kept(HomeTopics.claim(home.emma))
          return !now.isEmpty && now != claim
        }
        try await eventually("nothing is wrong with it") { try await home.fault(dad) == nil }
        // It is the same device, which another bridge keeps available.
        let new = try await home.broker.kept(HomeTopics.discovery(home.emma))
        #expect(
          new != device && new.contains("latchkey_\(home.emma)_left") && device.contains("latchkey_\(home.emma)_left"))
      }
    }
  }
}
