import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Logging

/// The text that a button of a notice on a phone posts: `v1.NOTICE.CHOICE.MAC`.
///
/// NOTICE is the number of the notice and the IDs of the requests that the notice showed, each
/// behind a hyphen, in hexadecimal digits. So a press answers exactly what the parent has read. MAC
/// is the first 16 bytes of HMAC-SHA-256 by the receiver's key over `v1.NOTICE.CHOICE`.
///
/// Spec: Protocol/14-bridge.md §2.
struct ButtonCode: Hashable, Sendable {
  /// The largest number of requests in a code.
  static let mostRequests = 8
  private static let macBytes = 16
  /// The largest size of a code in bytes.
  private static let mostBytes = 400

  var notice: Int
  var requests: [CommandID]
  var choice: AnswerButton

  /// Returns the text that the button posts.
  func text(key: [UInt8]) -> String {
    let ids = requests.map { "-" + Hexadecimal.encode($0.bytes) }.joined()
    let said = "v1.\(notice)\(ids).\(choice.rawValue)"
    return "\(said).\(Hexadecimal.encode(Self.code(said, key)))"
  }

  /// Returns the press in a text; `nil` unless the text was made with the key.
  static func read(_ text: String, key: [UInt8]) -> ButtonCode? {
    guard text.utf8.count <= mostBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "v1", let given = Hexadecimal.decode(parts[3]),
      ConstantTime.areEqual(given, code(parts[..<3].joined(separator: "."), key)),
      let choice = AnswerButton(rawValue: String(parts[2]))
    else { return nil }
    let fields = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    let ids = fields.dropFirst().compactMap { CommandID($0) }
    guard let number = Int(fields[0]), (1...mostRequests).contains(ids.count), ids.count == fields.count - 1 else {
      return nil
    }
    return ButtonCode(notice: number, requests: ids, choice: choice)
  }

  private static func code(_ said: String, _ key: [UInt8]) -> [UInt8] {
    [UInt8](HMACSHA256.authenticate(key: key, message: [UInt8](said.utf8)).prefix(macBytes))
  }
}

/// The count of dropped messages on a topic, which is logged at most once a minute.
struct DropCount {
  /// The reason why a message was dropped.
  enum Reason: String, CaseIterable {
    /// The message was not made with the receiver's key.
    case foreign
    /// The message was not made with the receiver's key, and was posted over an hour ago.
    case old
    /// No request that the press answers is open.
    case late
    /// The press was handled before.
    case duplicate
  }

  /// The number of foreign messages within an hour from which a parent is told.
  private static let manyForeign = 20
  private static let minute: Duration = .seconds(60)
  private static let hour: Duration = .seconds(3_600)

  private var counts: [Reason: Int] = [:]
  private var loggedAt: ContinuousClock.Instant?
  /// The times of the last foreign messages, the oldest first, at most `manyForeign`.
  private var foreign: [ContinuousClock.Instant] = []

  mutating func add(_ reason: Reason, at now: ContinuousClock.Instant) {
    counts[reason, default: 0] += 1
    guard reason == .foreign else { return }
    foreign.append(now)
    if foreign.count > Self.manyForeign { foreign.removeFirst() }
  }

  /// Returns the drops since the last result other than `nil`.
  ///
  /// Returns `nil` if that was less than a minute ago, or nothing was dropped.
  mutating func due(at now: ContinuousClock.Instant) -> [Reason: Int]? {
    guard !counts.isEmpty, loggedAt.map({ now - $0 >= Self.minute }) ?? true else { return nil }
    defer { (loggedAt, counts) = (now, [:]) }
    return counts
  }

  mutating func log(at now: ContinuousClock.Instant, _ logger: Logger) {
    guard let due = due(at: now) else { return }
    logger.notice(
      "messages on the topic of the buttons were dropped",
      metadata: Dictionary(uniqueKeysWithValues: due.map { ($0.key.rawValue, "\($0.value)") }))
  }

  /// Returns a sentence if another sender posts to the topic; `nil` otherwise.
  func sentence(at now: ContinuousClock.Instant) -> String? {
    guard foreign.count == Self.manyForeign, let first = foreign.first, now - first < Self.hour else { return nil }
    return
      "Somebody else posts to the topic of the buttons, which answers nothing: have the server's operator let only "
      + "the phone write there, or set the receiver up anew for new topics."
  }
}

/// The pace at which the buttons' topic is read, to which others may be able to write.
///
/// A bucket holds the number of messages that may be read at once, such as all that the server has
/// kept. It fills again at a steady pace. If it is empty, reading pauses and the messages wait at
/// the server.
struct TopicPace {
  /// The number of messages that are read at once.
  static let most = 1_000
  /// The number of messages that are read in a second after that.
  static let perSecond = 100
  /// The time for which a pause is reported.
  private static let memory: Duration = .seconds(600)

  private var left = most
  private var filledAt: ContinuousClock.Instant?
  private var pausedAt: ContinuousClock.Instant?

  /// Counts a message, and returns the pause before the next one is read; `nil` for none.
  mutating func count(at now: ContinuousClock.Instant) -> Duration? {
    let filled = filledAt ?? now
    let seconds = max(0, (now - filled).components.seconds)
    filledAt = filled + .seconds(seconds)
    left = min(Self.most, left + Int(min(seconds, Int64(Self.most))) * Self.perSecond) - 1
    guard left <= 0 else { return nil }
    pausedAt = now
    // A pause of a whole second, so that a flood wakes this process only once a second.
    return .seconds(1)
  }

  /// Returns a sentence while messages come faster than they are read; `nil` otherwise.
  func sentence(at now: ContinuousClock.Instant) -> String? {
    guard let pausedAt, now - pausedAt < Self.memory else { return nil }
    return
      "Somebody posts to the topic of the buttons faster than it is read, so that answers from the phone come late: "
      + "have the server's operator let only the phone write there, or set the receiver up anew for new topics."
  }
}
