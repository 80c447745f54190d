import LatchkeyModel

/// Something that a child asks the parents for.
///
/// Spec: Protocol/11-rules.md §9.
public struct ChildRequest: Hashable, Sendable {
  public enum Wish: Hashable, Sendable {
    case time(Grant)
    case app(AppID)
  }

  /// The ID: 16 random bytes.
  public var id: CommandID
  public var device: DeviceID
  /// The household's time at which the child asked, in Unix milliseconds; for people.
  public var at: Int64
  public var wish: Wish
  /// The family day, with which the request expires.
  public var day: FamilyDay
  /// The child's reason, a *line* of at most 1,024 bytes; may be empty.
  public var reason: String

  public init(id: CommandID, device: DeviceID, at: Int64, wish: Wish, day: FamilyDay, reason: String) {
    (self.id, self.device, self.at) = (id, device, at)
    (self.wish, self.day, self.reason) = (wish, day, reason)
  }

  /// The request as text: `time` and a grant, or `app` and an ID, without the reason.
  public var wishText: String {
    switch wish {
    case .time(let grant): "time \(grant.text)"
    case .app(let app): "app \(app.text)"
    }
  }
}

extension ChildRequest.Wish {
  /// Creates a wish from its text; throws a fault that says what to ask for.
  public init(typed text: String) throws(RuleFault) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("time", 2): self = .time(try Grant(typed: parts[1]))
    case ("app", 2):
      guard let app = AppID(parts[1]) else { throw RuleFault("There is no application of that ID: name one.") }
      self = .app(app)
    default: throw RuleFault("A child asks for time or for an application: name one of them.")
    }
  }
}

/// A parent's answer to a request.
public struct RequestAnswer: Hashable, Sendable {
  public enum Verdict: Hashable, Sendable {
    /// Yes, with minutes that may differ from those asked for; `nil` for an application.
    case approved(minutes: Int?)
    case denied
  }

  public var request: CommandID
  public var verdict: Verdict
  public var day: FamilyDay
  /// A word to the child, a *line* of at most 1,024 bytes; may be empty.
  public var word: String
  public var modified: HybridTimestamp

  public init(request: CommandID, verdict: Verdict, day: FamilyDay, word: String, modified: HybridTimestamp) {
    (self.request, self.verdict, self.day, self.word, self.modified) = (request, verdict, day, word, modified)
  }

  /// The verdict as text: `yes`, `yes 20`, or `no`.
  public var verdictText: String {
    switch verdict {
    case .approved(nil): "yes"
    case .approved(let minutes?): "yes \(minutes)"
    case .denied: "no"
    }
  }

  /// The answer as three lines: request, day, hybrid time and author; the verdict; the word.
  public var text: String {
    let first = [
      TextField.id(request), day.description, String(modified.wall), String(modified.counter),
      TextField.device(modified.author),
    ]
    return [first.joined(separator: " "), verdictText, word].joined(separator: "\n")
  }

  public init?(_ text: String) {
    let lines = TextField.lines(text)
    guard lines.count == 3 else { return nil }
    let fields = TextField.words(lines[0])
    guard fields.count == 5, let request = CommandID(fields[0]), let day = FamilyDay(fields[1]),
      let wall = Int64(fields[2]), HybridTimestamp.walls.contains(wall), let counter = UInt32(fields[3]),
      let author = TextField.device(fields[4]), let verdict = try? Verdict(typed: lines[1]),
      TextRule.reason.fault(in: lines[2]) == nil
    else { return nil }
    self.init(
      request: request, verdict: verdict, day: day, word: lines[2],
      modified: HybridTimestamp(wall: wall, counter: counter, author: author))
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// Returns whether this answer is kept in place of another one of the same parent: the earlier
  /// is.
  public func isKept(over other: RequestAnswer) -> Bool {
    modified == other.modified ? text.utf8.lexicographicallyPrecedes(other.text.utf8) : modified < other.modified
  }
}

extension RequestAnswer.Verdict {
  /// Creates a verdict from its text; throws a fault that says what to answer.
  public init(typed text: String) throws(RuleFault) {
    switch text {
    case "yes": self = .approved(minutes: nil)
    case "no": self = .denied
    default:
      guard text.hasPrefix("yes "), let minutes = RuleNumber.read(text.dropFirst(4)), (1...1_440).contains(minutes)
      else { throw RuleFault("An answer is no, yes, or yes with 1 to 1,440 minutes: give one of them.") }
      self = .approved(minutes: Int(minutes))
    }
  }
}

/// The texts of requests and answers, which are the same for the same request or answer.
///
/// Spec: Protocol/12-facts.md §4.
extension ChildRequest {
  /// The request as three lines: ID, day, time and machine; the wish; the reason.
  public var text: String {
    let first = [TextField.id(id), day.description, String(at), TextField.device(device)].joined(separator: " ")
    return [first, wishText, reason].joined(separator: "\n")
  }

  public init?(_ text: String) {
    let lines = TextField.lines(text)
    guard lines.count == 3 else { return nil }
    let fields = TextField.words(lines[0])
    guard fields.count == 4, let id = CommandID(fields[0]), let day = FamilyDay(fields[1]), let at = Int64(fields[2]),
      HybridTimestamp.walls.contains(at), let device = TextField.device(fields[3]),
      let wish = try? Wish(typed: lines[1]), TextRule.reason.fault(in: lines[2]) == nil
    else { return nil }
    self.init(id: id, device: device, at: at, wish: wish, day: day, reason: lines[2])
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

enum TextField {
  static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  static func words(_ line: String) -> [String] {
    line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  static func id(_ id: CommandID) -> String { Hexadecimal.encode(id.bytes) }

  static func device(_ device: DeviceID) -> String { Hexadecimal.encode(device.bytes) }

  static func device(_ text: String) -> DeviceID? { Hexadecimal.decode(text).flatMap { DeviceID(bytes: $0) } }
}
