import FoundationEssentials
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

/// What describes a child to Home Assistant: Protocol/14-bridge.md §4.
@Suite struct HomeDeviceTests {
  private func json(_ rights: [ReceiverRight], name: String = "Zoe's") throws -> String {
    String(
      decoding: try LocalJSON.encode(HomeDevice(name, child: "0123456789abcdef", bridge: "ab12", rights: rights)),
      as: UTF8.self)
  }

  @Test(
    "Names become parts of entity IDs without what these cannot have",
    arguments: [
      ("Emma", "emma"), ("Zoe's", "zoes"), ("Anna-Lena M.", "anna_lena_m"), ("  Ben  2 ", "ben_2"), ("Zoë", "zo"),
      ("小明", nil), ("'", nil),
    ] as [(String, String?)])
  func slugs(name: String, slug: String?) { #expect(HomeDevice.slug(name) == slug) }

  @Test("The device has its entities, each with an ID that depends on the child alone")
  func entities() throws {
    let text = try json([.grant, .lock])
    for id in ["left", "used", "status", "app", "requests", "waiting", "points", "event", "more", "lock"] {
      #expect(text.contains("\"unique_id\":\"latchkey_0123456789abcdef_\(id)\""), "\(id)")
    }
    #expect(text.contains(#""default_entity_id":"sensor.zoes_time_left""#))
    #expect(text.contains(#""options":["free","left","over","locked","unknown"]"#))
    #expect(text.utf8.count < 16_384)
  }

  @Test("Without a right, its entity is sent with the platform alone, which removes it")
  func rights() throws {
    let text = try json([])
    #expect(text.contains(#""lock":{"platform":"switch"}"#) && text.contains(#""more":{"platform":"button"}"#))
    #expect(!text.contains("command_topic"))
  }

  @Test(
    "What is left needs the bridge and a machine; a button needs the bridge alone"
  )
  func availability() throws {
    let device = HomeDevice("Emma", child: "cd34", bridge: "ab12", rights: [.grant])
    #expect(device.components["left"]?.availability?.map(\.topic) == ["latchkey/online/ab12", "latchkey/fresh/cd34"])
    #expect(device.components["more"]?.availability?.map(\.topic) == ["latchkey/online/ab12"])
    #expect(device.components["left"]?.availabilityMode == "all")
  }
}
