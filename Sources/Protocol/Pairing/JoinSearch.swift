import LatchkeyModel

/// Decides where a joiner looks for the machine that shows the code, and whose word ends the search.
///
/// An answer from before the handshake has verified can be forged by any machine. Unless the address was in the code or given by
/// the person, the search goes on after it for a while, so that the inviter can still be found. Spec: Protocol/02-discovery.md §8.
public struct JoinSearch<Place: Hashable & Sendable>: Sendable {
  /// An address to try, with how it was learned.
  public enum Candidate: Hashable, Sendable {
    /// A person gave it.
    case given(Place)
    /// It was in the code.
    case coded(Place)
    /// A machine announced it together with the code's discriminator.
    case announced(Place, instance: String)

    public var place: Place {
      switch self {
      case .given(let place), .coded(let place), .announced(let place, _): place
      }
    }

    /// How an address is remembered.
    public var source: AddressSource {
      switch self {
      case .given: .given
      case .coded: .code
      case .announced: .mdns
      }
    }
  }

  /// What comes after a round of attempts.
  public enum Step: Hashable, Sendable {
    case again
    /// Wait for an announcement, at most for this many milliseconds.
    case wait(Int64)
    case end(PairingOutcome)
  }

  /// Milliseconds to look for the machine whose code it is.
  static var searchMilliseconds: Int64 { 15_000 }
  /// Milliseconds after which an address that could not be connected to is tried again.
  static var roundMilliseconds: Int64 { 2_000 }
  /// Milliseconds that the network is asked for, where the address in the code answered with silence; also the milliseconds of
  /// search after every machine that announces the code has answered.
  static var silenceMilliseconds: Int64 { 2_000 }
  /// Milliseconds to search while machines announce open codes and none of them announces this one.
  static var otherCodesMilliseconds: Int64 { 5_000 }
  /// Milliseconds between two looks at what is announced.
  static var lookMilliseconds: Int64 { 500 }

  private let given: Place?
  private let coded: Place?
  private let deadline: BootInstant
  private var tried: Set<Place> = []
  /// Where nothing answered, which on a bad radio link may be otherwise a moment later, with the announcement that names it.
  private var unreached: [Place: String?] = [:]
  private var nextRound: BootInstant
  /// Announcements whose machine has answered: one with several addresses is asked once, for each guess costs.
  private var answered: Set<String> = []
  /// When a machine answered last.
  private var lastAnswer: BootInstant?
  /// A Boolean value that indicates whether an announcement of this code was seen.
  private var isAnnounced = false
  private var last = PairingOutcome.notFound
  /// Whether this round tries only the address in the code.
  private var isFirst: Bool
  /// When the network was asked first.
  private var asked: BootInstant?

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - given: the address that the person gave; then no other is tried.
  ///   - coded: the address in the code; it is tried before the network is asked.
  public init(given: Place?, coded: Place?, now: BootInstant) {
    self.given = given
    self.coded = coded
    isFirst = given == nil && coded != nil
    deadline = now + Self.searchMilliseconds
    nextRound = now + Self.roundMilliseconds
  }

  /// A Boolean value that indicates whether this round has to know what is announced.
  public var asksNetwork: Bool { given == nil && !isFirst }

  /// Returns where to try in this round, in this order.
  ///
  /// - Parameter announced: what is announced with the code's discriminator.
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

  /// Takes the outcome of an attempt in which the inviter did not prove itself; `nil` when nothing is there.
  ///
  /// - Returns: the outcome that ends the search, or `nil` to go on.
  public mutating func judge(
    _ candidate: Candidate, _ outcome: PairingOutcome?, now: BootInstant
  ) -> PairingOutcome? {
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

  /// Decides how to go on after a round.
  ///
  /// - Parameter hasOthers: whether machines announce open codes of other discriminators.
  public mutating func next(hasOthers: Bool = false, now: BootInstant) -> Step {
    let rest = deadline - now
    if isFirst, rest > 0 {
      isFirst = false
      return .again
    }
    // A machine whose code it is may still announce itself; but silence from the address in the code is an answer too.
    let isAnswered = last == .expired && coded != nil && now - (asked ?? now) > Self.silenceMilliseconds
    guard given == nil, rest > 0, !isAnswered, !isHeard(now), !isElsewhere(hasOthers, now) else { return .end(last) }
    return .wait(min(rest, Self.lookMilliseconds))
  }

  /// Returns whether every machine that announces this code has answered, and none was added for a while.
  private func isHeard(_ now: BootInstant) -> Bool {
    unreached.isEmpty && lastAnswer.map { now - $0 > Self.silenceMilliseconds } ?? false
  }

  /// Returns whether it is time to tell that the open codes are others than this one.
  private func isElsewhere(_ hasOthers: Bool, _ now: BootInstant) -> Bool {
    hasOthers && !isAnnounced && last == .notFound && asked.map { now - $0 > Self.otherCodesMilliseconds } ?? false
  }
}

extension JoinSearch.Candidate {
  /// The announcement that names the address, if it is an announced one.
  fileprivate var instance: String? { if case .announced(_, let instance) = self { instance } else { nil } }
}
