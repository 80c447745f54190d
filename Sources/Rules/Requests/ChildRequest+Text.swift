import LatchkeyModel

/// The texts of requests and answers, which are the same for the same request or answer.
///
/// Spec: Protocol/12-facts.md §4.
extension ChildRequest {
  /// The request as three lines: ID, day, time and machine; the wish; the reason.
  public var text: String {
    let first = [TextField.id(id), day.description, String(at), TextField.device(device)].joined(separator: " ")
    return [first, wishText, reason].joined(separator: "\n")
  }

  /// Creates a request from its text; `nil` for any other text.
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

extension RequestAnswer {
  /// The answer as three lines: request, day and the hybrid time with its author; the verdict; the
  /// word.
  public var text: String {
    let first = [
      TextField.id(request), day.description, String(modified.wall), String(modified.counter),
      TextField.device(modified.author),
    ]
    return [first.joined(separator: " "), verdictText, word].joined(separator: "\n")
  }

  /// Creates an answer from its text; `nil` for any other text.
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

  /// Returns whether this answer is kept although another one of the same parent to the same
  /// request is held: the earlier one is.
  public func isKept(over other: RequestAnswer) -> Bool {
    modified == other.modified ? text.utf8.lexicographicallyPrecedes(other.text.utf8) : modified < other.modified
  }
}

/// The parts of texts of facts.
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
