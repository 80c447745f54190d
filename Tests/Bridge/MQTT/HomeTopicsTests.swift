import LatchkeyModel
import Testing

@testable import LatchkeyBridge

/// Topics, and what stands for children and bridges in them: Protocol/14-bridge.md §4.
@Suite struct HomeTopicsTests {
  @Test("What stands for a child is the same at every bridge, and nothing of the ID")
  func child() throws {
    let id = try #require(ChildID("00112233-4455-7677-8899-aabbccddeeff"))
    // HMAC-SHA-256 with the key "latchkey mqtt child" of the 16 bytes, by another program.
    #expect(HomeTopics.child(id) == "80151ef851a16313")
  }

  @Test("What stands for a bridge follows from its node and the receiver's name, so that it stays")
  func bridge() throws {
    let node = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 20)))
    let other = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 20)))
    // HMAC-SHA-256 with the key "latchkey mqtt bridge" of the ID and the name, by another program.
    #expect(HomeTopics.bridge(node, "mqtt") == "d64c6e008f3f")
    #expect(HomeTopics.bridge(node, "home") != HomeTopics.bridge(node, "mqtt"))
    #expect(HomeTopics.bridge(other, "mqtt") != HomeTopics.bridge(node, "mqtt"))
  }

  @Test("A topic that a bridge reads says what it is about; any other one is passed over")
  func subjects() {
    #expect(HomeTopics.subject("latchkey/online/ab12") == .online(bridge: "ab12"))
    #expect(HomeTopics.subject("latchkey/claim/ab12") == .claim(child: "ab12"))
    #expect(HomeTopics.subject("latchkey/who/ab12") == .who(child: "ab12"))
    #expect(HomeTopics.subject("latchkey/do/ab12/grant") == .press(child: "ab12", .grant))
    #expect(HomeTopics.subject("homeassistant/status") == .birth)
    let others = [
      "", "latchkey", "latchkey/", "latchkey/online/", "latchkey/online/ab12/more", "latchkey/do/ab12",
      "latchkey/do/ab12/rules", "latchkey/do/Emma/grant", "latchkey/do/ab12/grant/more", "latchkey/state/ab12",
      "other/do/ab12/grant", "latchkey/online/0123456789abcdef0",
    ]
    for topic in others { #expect(HomeTopics.subject(topic) == nil, "\(topic)") }
  }

  @Test("Only the rights that were given are subscribed to, and + is a whole level")
  func filters() {
    #expect(!HomeTopics.filters([]).contains { $0.hasPrefix("latchkey/do") })
    let all = HomeTopics.filters(ReceiverRight.allCases)
    #expect(all.contains("latchkey/do/+/grant") && all.count == HomeTopics.filters([]).count + 4)
    for level in all.flatMap({ $0.split(separator: "/") }) { #expect(!level.contains("+") || level == "+") }
  }
}
