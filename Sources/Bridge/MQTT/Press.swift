import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol

/// What a message asks for that somebody publishes to a topic below `latchkey/do`.
///
/// Spec: Protocol/14-bridge.md §4.
enum Press: Hashable, Sendable {
  /// More time for today, in minutes.
  case grant(minutes: Int)
  case lock(Bool)
  /// An answer to a request of the child's, with other minutes than those asked for.
  case answer(request: String, isApproved: Bool, minutes: Int?)
  case points(milliPoints: Int64, reason: String)

  /// The members of all messages; each right has its own.
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
    /// When it was pressed, in Unix milliseconds by the clock of the one who published it.
    var at: Int64
    /// What tells it from all others.
    var mark: String

    /// By what the node knows it when it is asked for again.
    var key: String { Hexadecimal.encode(SHA256.hash(Array(mark.utf8)).prefix(16)) }
  }

  /// Reads a message; `nil` if it is malformed.
  ///
  /// The same bytes again are the same press, and so is the same `id`.
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

/// Decides which messages that ask for something are carried out.
///
/// A broker may deliver a message again, and keeps a retained one for every new connection. So a
/// press is taken once, within a minute of its time, and not from before the bridge began to serve
/// the child: what was pressed then, another parent's bridge may have carried out. What an earlier
/// run of this bridge has carried out, the node knows.
///
/// Spec: Protocol/14-bridge.md §4.
struct PressRules: Sendable {
  /// Why a press is not carried out.
  enum Refusal: Hashable, Sendable {
    case retained
    /// No right for it was given.
    case notAllowed
    case malformed
    /// It has been carried out, or tried.
    case seen
    /// It comes from before the bridge began to serve the child.
    case early
    /// Its time is so many milliseconds before that of this machine; negative for after it.
    case stale(Int64)
    /// There were more within two minutes than are remembered.
    case tooMany
  }

  enum Decision: Hashable, Sendable {
    case take(Press.Read)
    case refuse(Refusal)
  }

  /// How far a press's time may be from this machine's, in milliseconds.
  static let window: Int64 = 60_000
  /// The most presses that are remembered.
  static let mostMarks = 1_024
  /// A difference of clocks from which on a person is told, in milliseconds.
  private static let wrongClock: Int64 = 86_400_000

  private let rights: Set<ReceiverRight>
  /// When each press was seen, on the boot clock in milliseconds.
  private var marks: [String: Int64] = [:]

  init(_ rights: [ReceiverRight]) { self.rights = Set(rights) }

  /// Decides whether a message is carried out.
  ///
  /// `wall` is in Unix milliseconds. `boot`, and `since`, when the bridge began to serve the child,
  /// are on the boot clock, in milliseconds.
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
    // A mark is kept for as long as its press could be taken again, and then while there is room.
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
    // These are copies of presses that were answered.
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

  /// What a person should know about the clocks; `nil` for everything else.
  var clockFault: String? {
    guard case .stale(let age) = self, age.magnitude >= UInt64(PressRules.wrongClock) else { return nil }
    return sentence
  }
}
