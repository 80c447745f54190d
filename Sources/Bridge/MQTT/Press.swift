import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol

/// A command in a message to a topic below `latchkey/do`.
///
/// Spec: Protocol/14-bridge.md §4.
enum Press: Hashable, Sendable {
  /// More time for today, in minutes.
  case grant(minutes: Int)
  case lock(Bool)
  /// An answer to a request of the child.
  ///
  /// `minutes` replaces the minutes that the child asked for.
  case answer(request: String, isApproved: Bool, minutes: Int?)
  case points(milliPoints: Int64, reason: String)

  /// The members of the messages of all rights.
  private struct Fields: Decodable {
    var at: Int64
    var id: String?
    var minutes: Int?
    var on: Bool?
    var request: String?
    var yes: Bool?
    var points: Double?
    var reason: String?
  }

  /// A message that could be read.
  struct Read: Hashable, Sendable {
    var press: Press
    /// The time of the press, in Unix milliseconds by the publisher's clock.
    var at: Int64
    /// The text that distinguishes the press from all others.
    var mark: String

    /// The idempotency key by which the node recognizes the press if it is repeated.
    var key: String { Hexadecimal.encode(SHA256.hash(Array(mark.utf8)).prefix(16)) }
  }

  /// Reads a message; `nil` if it is malformed.
  ///
  /// Two messages with the same `id` are the same press. Without an `id`, two messages with the
  /// same bytes are.
  static func read(_ payload: [UInt8], child: String, _ right: ReceiverRight) -> Read? {
    guard payload.count <= 1_024, let fields = try? LocalJSON.decode(Fields.self, from: payload) else { return nil }
    let press: Press
    switch right {
    case .grant:
      guard let minutes = fields.minutes, (1...1_440).contains(minutes) else { return nil }
      press = .grant(minutes: minutes)
    case .lock:
      guard let on = fields.on else { return nil }
      press = .lock(on)
    case .answer:
      guard let request = fields.request, let yes = fields.yes, request.utf8.count >= 4,
        fields.minutes.map({ yes && (1...1_440).contains($0) }) ?? true
      else { return nil }
      press = .answer(request: request, isApproved: yes, minutes: fields.minutes)
    case .points:
      guard let points = fields.points, points >= 0.001, points <= 1_000_000 else { return nil }
      press = .points(milliPoints: Int64((points * 1_000).rounded()), reason: fields.reason ?? "Home Assistant")
    }
    if let id = fields.id, !(1...64).contains(id.utf8.count) { return nil }
    let what = fields.id ?? String(decoding: payload, as: UTF8.self)
    return Read(press: press, at: fields.at, mark: "\(child)/\(right.rawValue)/\(what)")
  }
}

/// The rules that decide which presses are carried out.
///
/// A broker may deliver a message again, and delivers a retained message on every new connection.
/// Therefore a press is carried out once, and only within a minute of its time. A press from before
/// the bridge began to serve the child is not carried out, because another parent's bridge may have
/// done so. The node recognizes the presses that an earlier run of this bridge has carried out.
///
/// Spec: Protocol/14-bridge.md §4.
struct PressRules: Sendable {
  /// The reason why a press is not carried out.
  enum Refusal: Hashable, Sendable {
    case retained
    /// The receiver does not have the right.
    case notAllowed
    case malformed
    /// The press was seen before.
    case seen
    /// The press was made before the bridge began to serve the child.
    case early
    /// The press's time is this many milliseconds before this machine's time, or after it if
    /// negative.
    case stale(Int64)
    /// There were more presses within two minutes than are remembered.
    case tooMany
  }

  enum Decision: Hashable, Sendable {
    case take(Press.Read)
    case refuse(Refusal)
  }

  /// The largest difference between a press's time and this machine's, in milliseconds.
  static let window: Int64 = 60_000
  /// The largest number of presses that are remembered.
  static let mostMarks = 1_024
  /// The difference of clocks from which a person is told, in milliseconds.
  private static let wrongClock: Int64 = 86_400_000

  private let rights: Set<ReceiverRight>
  /// When each press was seen, on the boot clock in milliseconds.
  private var marks: [String: Int64] = [:]

  init(_ rights: [ReceiverRight]) { self.rights = Set(rights) }

  /// Decides whether a message is carried out.
  ///
  /// `wall` is in Unix milliseconds. `since` is the time at which the bridge began to serve the
  /// child. `boot` and `since` are on the boot clock, in milliseconds.
  mutating func decide(
    _ message: MQTTMessage, child: String, _ right: ReceiverRight, wall: Int64, boot: Int64, since: Int64
  ) -> Decision {
    guard rights.contains(right) else { return .refuse(.notAllowed) }
    guard !message.isRetained else { return .refuse(.retained) }
    guard let read = Press.read(message.payload, child: child, right) else { return .refuse(.malformed) }
    if marks[read.mark] != nil { return .refuse(.seen) }
    let (age, overflow) = wall.subtractingReportingOverflow(read.at)
    guard !overflow, age.magnitude <= UInt64(Self.window) else {
      return .refuse(.stale(overflow ? (read.at < 0 ? .max : .min) : age))
    }
    guard age <= boot - since else { return .refuse(.early) }
    // A mark is kept as long as its press could be carried out again, and after that while there is
    // room.
    if marks.count >= Self.mostMarks {
      marks = marks.filter { boot - $0.value <= 2 * Self.window }
      guard marks.count < Self.mostMarks else { return .refuse(.tooMany) }
    }
    marks[read.mark] = boot
    return .take(read)
  }
}

extension PressRules.Refusal {
  var sentence: String? {
    switch self {
    // These presses were, or may have been, answered before.
    case .retained, .seen, .early: nil
    case .notAllowed: "Latchkey was not told to take this: see --may of `latchkey receivers add mqtt`."
    case .malformed: "This message is not one that Latchkey takes: see its members in the manual."
    case .stale(let age):
      if age.magnitude >= UInt64(PressRules.wrongClock) {
        "A press had a time that is over a day from this machine's: set the clock of the machine that Home Assistant "
          + "runs on, and of this one."
      } else if age > 0 {
        "The press came too late and was not carried out: press again."
      } else {
        "The press had a time in the future and was not carried out: set the clock of the machine that it came from."
      }
    case .tooMany: "There were too many presses, and this one was not carried out: press again in two minutes."
    }
  }

  /// The sentence for a person about the clocks; `nil` for any other refusal.
  var clockFault: String? {
    guard case .stale(let age) = self, age.magnitude >= UInt64(PressRules.wrongClock) else { return nil }
    return sentence
  }
}
