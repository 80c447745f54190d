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
