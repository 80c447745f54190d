import LatchkeyModel

/// The search for the machine that shows the code: the addresses to try, and the answers that end
/// the search.
///
/// Any machine can forge an answer before the handshake is verified. Such an answer ends nothing,
/// unless the address was in the code or entered by the person. Spec: Protocol/02-discovery.md §8.
public struct JoinSearch<Place: Hashable & Sendable>: Sendable {
  /// An address to try, and how it was learned.
  public enum Candidate: Hashable, Sendable {
    /// A person entered it.
    case given(Place)
    /// The code contains it.
    case coded(Place)
    /// A machine announced it together with the code's discriminator.
    case announced(Place, instance: String)

    public var place: Place {
      switch self {
      case .given(let place), .coded(let place), .announced(let place, _): place
      }
    }

    /// The source under which the address is remembered.
    public var source: AddressSource {
      switch self {
      case .given: .given
      case .coded: .code
      case .announced: .mdns
      }
    }
  }

  /// The decision after a round of attempts.
  public enum Step: Hashable, Sendable {
    case again
    /// Wait for an announcement, at most for this many milliseconds.
    case wait(Int64)
    case end(PairingOutcome)
  }

  /// The duration of the search for the inviter, in milliseconds.
  private static var searchMilliseconds: Int64 { 15_000 }
  /// The time after which an unreachable address is tried again, in milliseconds.
  private static var roundMilliseconds: Int64 { 2_000 }
  /// The duration of the search on the network if the address in the code does not answer, in
  /// milliseconds.
  private static var silenceMilliseconds: Int64 { 2_000 }
  /// Milliseconds to search while machines announce open codes and none of them announces this one.
  private static var otherCodesMilliseconds: Int64 { 5_000 }
  /// The milliseconds between two reads of the announcements.
  private static var lookMilliseconds: Int64 { 500 }

  private let given: Place?
  private let coded: Place?
  private let deadline: BootInstant
  private var tried: Set<Place> = []
  /// The places that did not answer, with the announcement that named them; on a bad radio link
  /// they may answer a moment later.
  private var unreached: [Place: String?] = [:]
  private var nextRound: BootInstant
  /// The announcements whose machine has answered.
  ///
  /// A machine with several addresses is asked once, since each guess counts.
  private var answered: Set<String> = []
  private var lastAnswer: BootInstant?
  /// A Boolean value that indicates whether an announcement of this code was seen.
  private var isAnnounced = false
  private var last = PairingOutcome.notFound
  /// A Boolean value that indicates whether this round tries only the address in the code.
  private var isFirst: Bool
  /// The time at which the network was first searched.
  private var asked: BootInstant?

  /// Begins a search: only at the `given` address, if the person entered one, or else at the code's
  /// before the network is searched.
  public init(given: Place?, coded: Place?, now: BootInstant) {
    (self.given, self.coded) = (given, coded)
    isFirst = given == nil && coded != nil
    deadline = now + Self.searchMilliseconds
    nextRound = now + Self.roundMilliseconds
  }

  /// A Boolean value that indicates whether this round needs the announcements.
  public var asksNetwork: Bool { given == nil && !isFirst }

  /// Returns the addresses to try in this round, in order; `announced` holds the announcements with
  /// the code's discriminator.
  public mutating func candidates(_ announced: [(Place, instance: String)], now: BootInstant) -> [Candidate] {
    if !isFirst, asked == nil { asked = now }
    if !announced.isEmpty { isAnnounced = true }
    if now >= nextRound {
      tried.subtract(unreached.keys)
      unreached = [:]
      nextRound = now + Self.roundMilliseconds
    }
    if let given { return [.given(given)] }
    return (coded.map { [.coded($0)] } ?? []) + announced.map { .announced($0, instance: $1) }
  }

  /// Returns whether to try an address now.
  public mutating func takes(_ candidate: Candidate) -> Bool {
    if case .announced(_, let instance) = candidate, answered.contains(instance) { return false }
    return tried.insert(candidate.place).inserted
  }

  /// Takes the outcome of an attempt in which the inviter did not prove its identity, and returns
  /// the outcome that ends the search, or `nil` to continue.
  ///
  /// The outcome of an attempt is `nil` if no machine answered.
  public mutating func judge(_ candidate: Candidate, _ outcome: PairingOutcome?, now: BootInstant) -> PairingOutcome? {
    guard let outcome else {
      unreached.updateValue(candidate.instance, forKey: candidate.place)
      return nil
    }
    last = outcome
    switch outcome {
    case .network, .expired, .notFound: return nil
    default: break
    }
    if let instance = candidate.instance {
      answered.insert(instance)
      unreached = unreached.filter { $0.value != instance }
      lastAnswer = now
      return nil
    }
    return outcome
  }

  /// Returns the next step after a round.
  ///
  /// `hasOthers` says whether machines announce other open codes.
  public mutating func next(hasOthers: Bool = false, now: BootInstant) -> Step {
    let rest = deadline - now
    if isFirst, rest > 0 {
      isFirst = false
      return .again
    }
    // The inviter may still announce itself, but silence from the code's address is an answer.
    let isAnswered = last == .expired && coded != nil && now - (asked ?? now) > Self.silenceMilliseconds
    guard given == nil, rest > 0, !isAnswered, !isHeard(now), !isElsewhere(hasOthers, now) else { return .end(last) }
    return .wait(min(rest, Self.lookMilliseconds))
  }

  /// Returns whether every machine that announces this code has answered, and none was added for a
  /// while.
  private func isHeard(_ now: BootInstant) -> Bool {
    unreached.isEmpty && lastAnswer.map { now - $0 > Self.silenceMilliseconds } ?? false
  }

  /// Returns whether it is time to show that this code is not among the open codes.
  private func isElsewhere(_ hasOthers: Bool, _ now: BootInstant) -> Bool {
    hasOthers && !isAnnounced && last == .notFound && asked.map { now - $0 > Self.otherCodesMilliseconds } ?? false
  }
}

extension JoinSearch.Candidate {
  /// The announcement that names the address, if it is an announced one.
  fileprivate var instance: String? { if case .announced(_, let instance) = self { instance } else { nil } }
}
