import LatchkeyModel
import LatchkeyProtocol

/// The topics between a bridge and Home Assistant.
///
/// Spec: Protocol/14-bridge.md §4.
enum HomeTopics {
  /// Where Home Assistant says that it has started.
  static let birth = "homeassistant/status"

  /// Returns what stands for a child in topics and unique IDs: 16 hexadecimal digits, which are the
  /// same at every parent's bridge.
  ///
  /// It is a hash, so that the broker and Home Assistant hold no ID of the family's.
  static func child(_ id: ChildID) -> String { digest("latchkey mqtt child", id.bytes, count: 8) }

  /// Returns what stands for the bridge of a receiver: 12 hexadecimal digits, which stay the same
  /// when the receiver is set up anew.
  static func bridge(_ node: DeviceID, _ receiver: String) -> String {
    digest("latchkey mqtt bridge", node.bytes + Array(receiver.utf8), count: 6)
  }

  private static func digest(_ key: String, _ message: [UInt8], count: Int) -> String {
    Hexadecimal.encode(HMACSHA256.authenticate(key: Array(key.utf8), message: message).prefix(count))
  }

  /// Whether a bridge is connected: `online`, or `offline`, which is also its will.
  static func online(_ bridge: String) -> String { "latchkey/online/\(bridge)" }
  /// The bridge that serves a child.
  static func claim(_ child: String) -> String { "latchkey/claim/\(child)" }
  /// Asks the bridge that serves a child to say so again.
  static func who(_ child: String) -> String { "latchkey/who/\(child)" }
  static func state(_ child: String) -> String { "latchkey/state/\(child)" }
  /// Whether a machine of the child's is connected: `online` or `offline`.
  static func fresh(_ child: String) -> String { "latchkey/fresh/\(child)" }
  static func event(_ child: String) -> String { "latchkey/event/\(child)" }
  static func press(_ child: String, _ right: ReceiverRight) -> String { "latchkey/do/\(child)/\(right.rawValue)" }
  /// What describes a child's device to Home Assistant.
  static func discovery(_ child: String) -> String { "homeassistant/device/latchkey_\(child)/config" }

  /// The retained topics of a child, in the order in which they are removed.
  static func retained(_ child: String) -> [String] { [discovery(child), state(child), fresh(child), claim(child)] }

  /// Returns the filters that a bridge subscribes to.
  static func filters(_ rights: [ReceiverRight]) -> [String] {
    ["latchkey/online/+", "latchkey/claim/+", "latchkey/who/+", birth] + rights.map { press("+", $0) }
  }

  /// What a message is about, by its topic.
  enum Subject: Hashable, Sendable {
    case online(bridge: String)
    case claim(child: String)
    case who(child: String)
    case birth
    case press(child: String, ReceiverRight)
  }

  /// Returns what a topic is about; `nil` for one that no bridge reads.
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

  /// Returns whether a text can stand for a child or a bridge: 1 to 16 hexadecimal digits.
  static func isName(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count) && text.utf8.allSatisfy { Array("0123456789abcdef".utf8).contains($0) }
  }
}
