import LatchkeyModel

/// The clocks of applications, each of which advances while its application is active in an account.
///
/// Two programs of one application share a clock, so that their time counts once. So do all unknown programs.
///
/// Spec: Protocol/13-agent.md §9.
struct ActivityClocks: Sendable {
  /// What has a clock.
  ///
  /// Programs that a weak matcher alone recognizes have one of their own, since they earn nothing.
  struct Key: Hashable {
    var account: UInt32
    var app: AppID
    var isWeak: Bool
  }

  /// The most clocks.
  private static let capacity = 16_384

  private var clocks: [Key: Int64] = [:]
  /// The number of programs that run for each clock.
  private var running: [Key: Int] = [:]
  private var at = BootInstant(milliseconds: 0)
  private var presence = AgentPresence()

  /// Returns what the clock of a use shows, in milliseconds.
  func reading(of use: ProgramUse) -> Int64 { clocks[Self.key(use)] ?? 0 }

  /// Notes that a program runs from now on.
  mutating func start(_ use: ProgramUse) {
    running[Self.key(use), default: 0] += 1
  }

  /// Notes that a program has ended.
  mutating func stop(_ use: ProgramUse) {
    let key = Self.key(use)
    guard let count = running[key] else { return }
    running[key] = count > 1 ? count - 1 : nil
  }

  /// Advances the clocks to an instant by what was seen last.
  ///
  /// That of learning stands while a reward runs in its account.
  mutating func advance(to now: BootInstant, category: (UInt32, AppID) -> AppCategory?) {
    guard now > at else { return }
    defer { at = now }
    guard !running.isEmpty else { return }
    let rewarded = Set(running.keys.filter { category($0.account, $0.app) == .reward }.map(\.account))
    for key in running.keys {
      if rewarded.contains(key.account), category(key.account, key.app) == .learning { continue }
      guard clocks[key] != nil || clocks.count < Self.capacity else { continue }
      clocks[key, default: 0] += presence.activeMilliseconds(key.account, from: at, to: now)
    }
  }

  /// Advances the clocks to the end of a sleep, of which nothing counts.
  mutating func skip(from asleep: BootInstant, to now: BootInstant, category: (UInt32, AppID) -> AppCategory?) {
    advance(to: asleep, category: category)
    at = max(at, now)
  }

  /// Advances the clocks by what was seen before, and takes over what is seen now.
  mutating func see(_ new: AgentPresence, at now: BootInstant, category: (UInt32, AppID) -> AppCategory?) {
    if case .last(.some(let last)) = new.input, case .last = presence.input {
      // What came in meanwhile counts from then on, in the sessions that were in use until now.
      advance(to: min(last, now), category: category)
      presence.input = new.input
    }
    advance(to: now, category: category)
    presence = new
  }

  private static func key(_ use: ProgramUse) -> Key {
    Key(account: use.account, app: use.recorded, isWeak: use.isWeak)
  }
}

extension AgentMachine {
  /// Takes what is seen of people at the machine from now on, and tells the node if more or less can be seen than before.
  public mutating func sensed(_ presence: AgentPresence, at now: BootInstant) -> [AgentEffect] {
    activity.see(presence, at: now, category: category)
    let senses = (hasSessions: presence.accounts != nil, hasInput: presence.input != .unknown)
    defer { self.senses = senses }
    // The greeting says what can be seen at first.
    guard let before = self.senses, before != senses else { return [] }
    return [tell(.senses(hasSessions: senses.hasSessions, hasInput: senses.hasInput), now)]
  }

  /// Advances the clocks of applications to the present.
  mutating func advance(to now: BootInstant) { activity.advance(to: now, category: category) }

  /// Returns a closure that tells the category of an application in an account.
  var category: (UInt32, AppID) -> AppCategory? {
    let accounts = accounts
    return { accounts[$0]?.programs[$1]?.category }
  }
}
