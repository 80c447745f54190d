import LatchkeyModel
import LatchkeyProtocol

/// The description of a child for Home Assistant: one device with its entities, in one message.
///
/// Home Assistant creates, changes and removes the entities accordingly. An entity that needs a
/// right that the receiver lacks is sent with its platform alone, which removes it.
///
/// Spec: Protocol/14-bridge.md §4.
struct HomeDevice: Encodable {
  struct About: Encodable {
    var identifiers: [String]
    var name: String
    var manufacturer = "Latchkey"
    var model = "Child"
  }

  /// The program that publishes the message.
  struct Origin: Encodable {
    var name = "Latchkey"
    var version = Version.software

    private enum CodingKeys: String, CodingKey {
      case name
      case version = "sw_version"
    }
  }

  struct Availability: Encodable { var topic: String }

  struct Entity: Encodable {
    var platform: String
    var id: String?
    var name: String?
    var entityID: String?
    var availability: [Availability]?
    var availabilityMode: String?
    var stateTopic: String?
    var valueTemplate: String?
    var unit: String?
    var deviceClass: String?
    var icon: String?
    var options: [String]?
    var eventTypes: [String]?
    var commandTopic: String?
    var commandTemplate: String?
    var qos: Int?

    private enum CodingKeys: String, CodingKey {
      case platform
      case id = "unique_id"
      case name
      case entityID = "default_entity_id"
      case availability
      case availabilityMode = "availability_mode"
      case stateTopic = "state_topic"
      case valueTemplate = "value_template"
      case unit = "unit_of_measurement"
      case deviceClass = "device_class"
      case icon, options
      case eventTypes = "event_types"
      case commandTopic = "command_topic"
      case commandTemplate = "command_template"
      case qos
    }

    /// An entity that Home Assistant removes.
    static func none(_ platform: String) -> Entity { Entity(platform: platform) }
  }

  var device: About
  var origin = Origin()
  var components: [String: Entity]

  private static let buttonMinutes = 15

  /// Creates the device of a child.
  ///
  /// `child` and `bridge` are the names of the child and the bridge in topics.
  init(_ name: String, child: String, bridge: String, rights: [ReceiverRight]) {
    device = About(identifiers: ["latchkey_\(child)"], name: name)
    let slug = Self.slug(name) ?? "child_\(child.prefix(4))"
    let state = HomeTopics.state(child)
    let reached = Availability(topic: HomeTopics.online(bridge))
    let fresh = Availability(topic: HomeTopics.fresh(child))

    func entity(_ platform: String, _ key: String, _ name: String, _ icon: String, needsMachine: Bool = false) -> Entity
    {
      Entity(
        platform: platform, id: "latchkey_\(child)_\(key)", name: name,
        entityID: "\(platform).\(slug)_\(Self.slug(name) ?? key)",
        availability: needsMachine ? [reached, fresh] : [reached], availabilityMode: "all", icon: icon, qos: 1)
    }
    func sensor(
      _ key: String, _ name: String, _ icon: String, _ template: String, needsMachine: Bool = false
    ) -> Entity {
      var sensor = entity("sensor", key, name, icon, needsMachine: needsMachine)
      (sensor.stateTopic, sensor.valueTemplate) = (state, template)
      return sensor
    }
    // Each press has its time, which identifies the message if it is delivered again.
    let at = "\"at\":{{ (now().timestamp()*1000)|int }}"

    var left = sensor(
      "left", "Time left", "mdi:timer-sand",
      "{{ (value_json.left_s / 60) | round(0, 'ceil') | int if value_json.left_s is defined else none }}",
      needsMachine: true)
    (left.unit, left.deviceClass) = ("min", "duration")
    var used = sensor(
      "used", "Used today", "mdi:timer-outline", "{{ (value_json.used_s / 60) | round(0, 'floor') | int }}")
    (used.unit, used.deviceClass) = ("min", "duration")
    var status = sensor("status", "Status", "mdi:shield-account", "{{ value_json.status }}")
    (status.deviceClass, status.options) = ("enum", ChildState.Status.allCases.map(\.rawValue))
    let app = sensor("app", "In use", "mdi:application", "{{ value_json.app | default('–') }}", needsMachine: true)
    let requests = sensor("requests", "Requests", "mdi:hand-back-right", "{{ value_json.requests }}")
    let waiting = sensor("waiting", "Machines not told yet", "mdi:cloud-sync-outline", "{{ value_json.waiting }}")
    let points = sensor("points", "Points", "mdi:star-circle", "{{ value_json.points | default(none) }}")
    var event = entity("event", "event", "Event", "mdi:bell")
    (event.stateTopic, event.eventTypes) = (HomeTopics.event(child), ChildEvent.types)

    var more = Entity.none("button")
    if rights.contains(.grant) {
      more = entity("button", "more", "\(Self.buttonMinutes) min more", "mdi:timer-plus")
      more.commandTopic = HomeTopics.press(child, .grant)
      more.commandTemplate = "{\"minutes\":\(Self.buttonMinutes),\(at)}"
    }
    var lock = Entity.none("switch")
    if rights.contains(.lock) {
      // The switch has no assumed state. It is on once the child's machines have confirmed the
      // lock.
      lock = entity("switch", "lock", "Lock", "mdi:lock")
      (lock.stateTopic, lock.commandTopic) = (state, HomeTopics.press(child, .lock))
      lock.valueTemplate = "{{ ('ON' if value_json.lock else 'OFF') if value_json.lock is defined else none }}"
      lock.commandTemplate = "{\"on\":{{ 'true' if value == 'ON' else 'false' }},\(at)}"
    }
    components = [
      "left": left, "used": used, "status": status, "app": app, "requests": requests, "waiting": waiting,
      "points": points, "event": event, "more": more, "lock": lock,
    ]
  }

  /// Returns a name as a part of an entity's ID: lower-case letters and digits, with underscores
  /// between words; `nil` if no character is left.
  static func slug(_ name: String) -> String? {
    var text = ""
    for letter in name.lowercased().unicodeScalars where letter != "'" && letter != "’" {
      let isPlain = ("a"..."z").contains(letter) || ("0"..."9").contains(letter)
      if isPlain { text.unicodeScalars.append(letter) } else if !text.isEmpty, text.last != "_" { text.append("_") }
    }
    while text.last == "_" { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}

/// The topics between a bridge and Home Assistant.
///
/// Spec: Protocol/14-bridge.md §4.
enum HomeTopics {
  /// The topic on which Home Assistant announces that it has started.
  static let birth = "homeassistant/status"

  /// Returns the name of a child in topics and unique IDs: 16 hexadecimal digits, which are the
  /// same at every parent's bridge.
  ///
  /// The name is a hash, so that the broker and Home Assistant hold no ID of the family.
  static func child(_ id: ChildID) -> String { digest("latchkey mqtt child", id.bytes, count: 8) }

  /// Returns the name of a receiver's bridge in topics: 12 hexadecimal digits, which stay the same
  /// when the receiver is set up anew.
  static func bridge(_ node: DeviceID, _ receiver: String) -> String {
    digest("latchkey mqtt bridge", node.bytes + Array(receiver.utf8), count: 6)
  }

  private static func digest(_ key: String, _ message: [UInt8], count: Int) -> String {
    Hexadecimal.encode(HMACSHA256.authenticate(key: Array(key.utf8), message: message).prefix(count))
  }

  /// Returns the topic that says whether a bridge is connected: `online` or `offline`.
  ///
  /// The will is `offline`.
  static func online(_ bridge: String) -> String { "latchkey/online/\(bridge)" }
  /// Returns the topic that names the bridge that serves a child.
  static func claim(_ child: String) -> String { "latchkey/claim/\(child)" }
  /// Returns the topic that asks the bridge that serves a child to publish its claim again.
  static func who(_ child: String) -> String { "latchkey/who/\(child)" }
  static func state(_ child: String) -> String { "latchkey/state/\(child)" }
  /// Returns the topic that says whether one of the child's machines is connected: `online` or
  /// `offline`.
  static func fresh(_ child: String) -> String { "latchkey/fresh/\(child)" }
  static func event(_ child: String) -> String { "latchkey/event/\(child)" }
  static func press(_ child: String, _ right: ReceiverRight) -> String { "latchkey/do/\(child)/\(right.rawValue)" }
  /// Returns the topic that describes a child's device to Home Assistant.
  static func discovery(_ child: String) -> String { "homeassistant/device/latchkey_\(child)/config" }

  /// Returns the retained topics of a child, in the order in which they are removed.
  static func retained(_ child: String) -> [String] { [discovery(child), state(child), fresh(child), claim(child)] }

  /// Returns the filters that a bridge subscribes to.
  static func filters(_ rights: [ReceiverRight]) -> [String] {
    ["latchkey/online/+", "latchkey/claim/+", "latchkey/who/+", birth] + rights.map { press("+", $0) }
  }

  /// The subject of a message, from its topic.
  enum Subject: Hashable, Sendable {
    case online(bridge: String)
    case claim(child: String)
    case who(child: String)
    case birth
    case press(child: String, ReceiverRight)
  }

  /// Returns the subject of a topic; `nil` for a topic that no bridge reads.
  static func subject(_ topic: String) -> Subject? {
    if topic == birth { return .birth }
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[0] == "latchkey", isName(parts[2]) else { return nil }
    switch (parts[1], parts.count) {
    case ("online", 3): return .online(bridge: parts[2])
    case ("claim", 3): return .claim(child: parts[2])
    case ("who", 3): return .who(child: parts[2])
    case ("do", 4): return ReceiverRight(rawValue: parts[3]).map { .press(child: parts[2], $0) }
    default: return nil
    }
  }

  /// Returns whether a text can be the name of a child or a bridge: 1 to 16 hexadecimal digits.
  static func isName(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count) && text.utf8.allSatisfy { Array("0123456789abcdef".utf8).contains($0) }
  }
}
