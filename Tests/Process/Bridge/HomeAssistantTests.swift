import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

@testable import LatchkeyBridge

extension ProcessTests {
  /// The bridge with a real Home Assistant: Protocol/14-bridge.md §4.
  @Suite(
    .enabled(
      if: Length.isThorough && HomeAssistant.system != nil,
      "it needs LATCHKEY_HOME_ASSISTANT, a folder of Tools/home-assistant; run Tools/test --thorough"))
  struct HomeAssistantTests {
    @Test("The entities of a child exist within 5 s, one press is one grant, and states are right after each restart")
    func restarts() async throws {
      try await ProcessLab.run { lab in
        let home = try await MQTTBridgeTests.Home(lab)
        let (broker, emma) = (home.broker, home.emma)
        let system = try #require(HomeAssistant.system)
        let assistant = try await HomeAssistant(lab, system: system, brokerPort: broker.plainPort)
        try await home.add(home.mum, may: ["--may", "grant,lock", "--at-most", "60m"])
        var bridge = try home.bridge(home.mum)
        try await eventually("the state is published") { try await broker.state(of: emma) != nil }
        try await within(5, "the entities exist") {
          let states = try await assistant.states("emma")
          return states.count == 10 && states["sensor.emma_time_left"] == "120"
        }
        #expect(try await assistant.states("emma")["sensor.emma_status"] == "left")

        // The same press again and again, as a broker may deliver it.
        let presses = try await broker.follow(HomeTopics.press(emma, .grant))
        try await eventually("presses are followed") {
          try await broker.publish(HomeTopics.press(emma, .grant), "?")
          return ProcessLab.read(presses).hasSuffix("\n")
        }
        try await assistant.call("button/press", "button.emma_15_min_more")
        func pressed() -> [String] {
          ProcessLab.read(presses).split(separator: "\n").map { String($0.drop { $0 != "{" }) }.filter { !$0.isEmpty }
        }
        try await eventually("the press arrives") { !pressed().isEmpty }
        let press = try #require(pressed().first)
        try await broker.publish(HomeTopics.press(emma, .grant), lines: [String](repeating: press, count: 200))
        try await within(5, "it is one grant") { try await assistant.states("emma")["sensor.emma_time_left"] == "135" }
        try await eventually("all have arrived") { pressed().count == 201 }
        #expect(try await home.grants() == ["15"])

        // While the machine is off, the button works and the lock stays as it is.
        await home.pc.kill()
        try await within(10, "nobody knows what is left") {
          try await assistant.states("emma")["sensor.emma_time_left"] == "unavailable"
        }
        try await assistant.call("switch/turn_on", "switch.emma_lock")
        try await eventually("it waits") {
          try await assistant.states("emma")["sensor.emma_machines_not_told_yet"] == "1"
        }
        #expect(try await assistant.states("emma")["switch.emma_lock"] == "off")
        try await home.pc.start()
        try await eventually("it is locked") { try await assistant.states("emma")["switch.emma_lock"] == "on" }

        // Restarts of each, and of two at once.
        func isRight() async throws -> Bool {
          let states = try await assistant.states("emma")
          return states.count == 10 && states["switch.emma_lock"] == "on" && states["sensor.emma_status"] == "locked"
        }
        await broker.kill()
        try await broker.start()
        try await within(20, "the broker's restart") { try await isRight() }
        await assistant.stop()
        try await assistant.start()
        try await within(10, "Home Assistant's restart") { try await isRight() }
        await assistant.stop()
        await broker.kill()
        try await broker.start()
        try await assistant.start()
        try await within(20, "both restart at once") { try await isRight() }
        bridge.process.signal(SIGKILL)
        _ = await bridge.process.wait()
        bridge = try home.bridge(home.mum)
        try await within(10, "the bridge's restart") { try await isRight() }
        await assistant.stop()
      }
    }

    /// Waits until a condition holds, and records an issue if that takes longer than it may.
    private func within(_ seconds: Int, _ what: String, _ condition: () async throws -> Bool) async throws {
      let begin = ContinuousClock.now
      try await eventually(what, condition)
      let time = ContinuousClock.now - begin
      print("Home Assistant: \(what) took \(time).")
      #expect(time < .seconds(seconds), "\(what)")
    }
  }
}
