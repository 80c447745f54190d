import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// A fault in a pairing's connection between the two machines.
struct LinkFault: Sendable, CustomStringConvertible {
  /// The alteration of a frame.
  enum Forgery: String, Sendable, CaseIterable {
    case changed, random, doubled, reflected
  }

  enum Kind: Sendable {
    /// Everything is cut off after so many bytes this way.
    case cut(Direction, bytes: Int)
    /// A frame is not what it was.
    case forged(Direction, frame: Int, Forgery)
    /// From this frame on nothing passes, and nothing is closed.
    case silence(Direction, frame: Int)
  }

  /// The number of the last frame, either way: the acknowledgement, and the inviter's last word.
  private var last: Int { isTyped ? 4 : 3 }

  let isTyped: Bool
  let kind: Kind
  /// The address from which the inviter sees it come; another for each, so that none waits for what
  /// another did.
  let source: String

  /// A Boolean value that indicates whether a pairing with this fault must fail.
  ///
  /// It may succeed if the other side has already sent its last message.
  var mustFail: Bool {
    guard case .forged(let direction, let frame, let forgery) = kind else { return false }
    // A second Commit comes after the joiner has acknowledged the first.
    return frame < (direction == .toJoiner && forgery == .doubled ? last - 1 : last)
  }

  /// A Boolean value that indicates whether it may take a minute until both sides know the result.
  var isLong: Bool {
    switch kind {
    case .cut: return false
    case .forged(let direction, let frame, _):
      return frame == last || (direction == .toInviter && frame == last - 1)
    case .silence(let direction, let frame):
      return frame >= last - (direction == .toJoiner ? 1 : 0)
    }
  }

  /// A Boolean value that indicates whether the joiner waits as for a person, since it cannot know
  /// that no question is shown.
  var leavesJoinerAsking: Bool {
    guard case .silence(.toJoiner, let frame) = kind else { return false }
    return frame == last - 1
  }

  /// The outcomes that the joiner may report.
  var possibleOutcomes: [PairingOutcome] {
    var possible: [PairingOutcome] = [.ok, .expired, .network]
    if leavesJoinerAsking { possible.append(.cancelled) }
    if case .forged(_, let frame, let forgery) = kind {
      possible.append(.wrongCode)
      // Random bytes in place of an offer or an answer decode as unsupported versions.
      if frame == 0, forgery == .random, isTyped { possible.append(.version) }
    }
    return possible
  }

  var isSilence: Bool { if case .silence = kind { true } else { false } }

  /// Stand between with this fault.
  func middle(to port: UInt16) throws -> Middle {
    switch kind {
    case .cut(let direction, let bytes): return try Middle(to: port, from: source, cut: (direction, bytes))
    case .silence(let direction, let frame):
      return try Middle(to: port, from: source) { way, number, _ in
        way == direction && number == frame ? .silence : .pass
      }
    case .forged(let direction, let frame, let forgery):
      return try Middle(to: port, from: source) { way, number, body in
        guard way == direction, number == frame else { return .pass }
        switch forgery {
        case .changed: return .send([[body[0] ^ 1] + body.dropFirst()])
        case .random: return .send([SecureRandom.bytes(body.count)])
        case .doubled: return .send([body, body])
        case .reflected: return .reflect
        }
      }
    }
  }

  var description: String {
    let code = isTyped ? "typed code" : "pasted code"
    return switch kind {
    case .cut(let direction, let bytes): "\(code), cut after \(bytes) bytes \(direction.rawValue)"
    case .forged(let direction, let frame, let forgery):
      "\(code), frame \(frame) \(direction.rawValue) \(forgery.rawValue)"
    case .silence(let direction, let frame): "\(code), silence from frame \(frame) \(direction.rawValue)"
    }
  }
}

/// The remaining work, from which idle workers take the next part.
final class FaultQueue: Sendable {
  private let faults: Mutex<[LinkFault]>

  /// Creates a list of faults, which are used in this order.
  init(_ faults: [LinkFault]) { self.faults = Mutex(faults) }

  /// Returns the next fault; `nil` if there is none.
  func next() -> LinkFault? {
    faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
