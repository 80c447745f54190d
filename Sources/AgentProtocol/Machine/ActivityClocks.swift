import LatchkeyModel

/// The activity clocks of applications, and the clocks of sessions, by account.
///
/// An application's clock advances while the application is active. A session's clock advances
/// while a person is at the session. All programs of one application share a clock, so that their
/// time counts once. So do all unknown programs. Spec: Protocol/13-agent.md §9.
struct ActivityClocks: Sendable {
  /// The owner of a clock: an application in an account.
  ///
  /// Programs that only a weak matcher recognizes have a separate clock, since they earn nothing.
  struct Key: Hashable {
    var account: UInt32
    var app: AppID
    var isWeak: Bool
  }

  /// The parts of the orders that the clocks depend on.
  struct Terms {
    var accounts: [UInt32: AgentMachine.Supervised]

    func category(_ key: Key) -> AppCategory? { accounts[key.account]?.programs[key.app]?.category }
    func screen(_ account: UInt32) -> ScreenTerms { accounts[account]?.orders.screen ?? ScreenTerms() }
  }

  private static let capacity = 16_384

  private var clocks: [Key: Int64] = [:]
  private var running: [Key: Int] = [:]
  private var at = BootInstant(milliseconds: 0)
  private(set) var presence = AgentPresence()
  private(set) var doubted = DoubtedLocks()

  /// Returns the reading of the clock for a use, in milliseconds.
  func reading(of use: ProgramUse) -> Int64 { clocks[Self.key(use)] ?? 0 }

  /// Returns how long a person was at a session of an account, in milliseconds.
  func screenTime(of account: UInt32) -> Int64 { clocks[Self.screen(account)] ?? 0 }
  mutating func start(_ use: ProgramUse) { running[Self.key(use), default: 0] += 1 }

  mutating func stop(_ use: ProgramUse) {
    let key = Self.key(use)
    guard let count = running[key] else { return }
    running[key] = count > 1 ? count - 1 : nil
  }

  /// Advances the clocks to an instant, according to what was seen last.
  ///
  /// Clocks of learning stop while a reward runs in the same account.
  mutating func advance(to now: BootInstant, _ terms: Terms) {
    guard now > at else { return }
    defer { at = now }
    for account in terms.accounts.keys { addScreenTime(account, to: now, terms) }
    guard !running.isEmpty else { return }
    let rewarded = Set(running.keys.filter { terms.category($0) == .reward }.map(\.account))
    for key in running.keys {
      if rewarded.contains(key.account), terms.category(key) == .learning { continue }
      let time =
        key.app.isOfMany
        ? thereMilliseconds(key.account, to: now, grace: terms.screen(key.account).graceMilliseconds)
        : presence.activeMilliseconds(key.account, from: at, to: now)
      add(time, to: key)
    }
  }

  /// Adds the time that a person was at a session since the clocks were last advanced.
  private mutating func addScreenTime(_ account: UInt32, to now: BootInstant, _ terms: Terms) {
    let screen = terms.screen(account)
    guard screen.source != .programs, presence.showsPeople else { return }
    var time = thereMilliseconds(account, to: now, grace: screen.graceMilliseconds)
    guard time > 0 else { return }
    if screen.source == .sessionsWithoutLearning {
      let keys = running.keys.filter { $0.account == account }
      if !keys.isEmpty, keys.allSatisfy({ !$0.isWeak && terms.category($0) == .learning }) {
        time -= presence.activeMilliseconds(account, from: at, to: now)
      }
    }
    add(max(0, time), to: Self.screen(account))
  }

  /// Returns how long a person was at a session since the last advance, also behind a doubted lock.
  private func thereMilliseconds(_ account: UInt32, to now: BootInstant, grace: Int64) -> Int64 {
    guard doubted.contains(account) else {
      return presence.activeMilliseconds(account, from: at, to: now, grace: grace)
    }
    var unlocked = presence
    unlocked.accounts?.insert(account)
    return unlocked.activeMilliseconds(account, from: at, to: now, grace: min(grace, 60_000))
  }

  /// Returns whether the screen time of an account advances at an instant.
  func isThere(_ account: UInt32, at now: BootInstant, _ terms: Terms) -> Bool {
    let screen = terms.screen(account)
    guard screen.source != .programs, presence.showsPeople, case .last(.some(let last)) = presence.input else {
      return false
    }
    if doubted.contains(account) { return now - last < min(screen.graceMilliseconds, 60_000) }
    return presence.accounts?.contains(account) == true && now - last < screen.graceMilliseconds
  }

  private mutating func add(_ milliseconds: Int64, to key: Key) {
    guard clocks[key] != nil || clocks.count < Self.capacity else { return }
    clocks[key, default: 0] += milliseconds
  }

  /// Moves the clocks to the end of a sleep without counting its time.
  mutating func skip(from asleep: BootInstant, to now: BootInstant, _ terms: Terms) {
    advance(to: asleep, terms)
    at = max(at, now)
  }

  /// Advances the clocks according to what was seen before, and then replaces that.
  mutating func see(_ new: AgentPresence, at now: BootInstant, _ terms: Terms) {
    if case .last(.some(let last)) = new.input, case .last = presence.input {
      // Input that arrived meanwhile counts from its own instant, for the sessions until now.
      advance(to: min(last, now), terms)
      presence.input = new.input
    }
    advance(to: now, terms)
    presence = new
    doubted.see(new, at: now)
  }

  private static func key(_ use: ProgramUse) -> Key { Key(account: use.account, app: use.recorded, isWeak: use.isWeak) }
  private static func screen(_ account: UInt32) -> Key { Key(account: account, app: .screenTime, isWeak: false) }
}

extension AgentMachine {
  /// Replaces what is seen of people, and reports if the agent can now see more or less.
  public mutating func sensed(_ presence: AgentPresence, at now: BootInstant) -> [AgentEffect] {
    activity.see(presence, at: now, clockTerms)
    let senses = (hasSessions: presence.accounts != nil, hasInput: presence.input != .unknown)
    defer { self.senses = senses }
    // The greeting contains what can be seen at first.
    guard let before = self.senses, before != senses else { return [] }
    return [tell(.senses(hasSessions: senses.hasSessions, hasInput: senses.hasInput), now)]
  }

  mutating func advance(to now: BootInstant) { activity.advance(to: now, clockTerms) }

  /// The parts of the orders that the clocks depend on.
  private var clockTerms: ActivityClocks.Terms { ActivityClocks.Terms(accounts: accounts) }

  /// The accounts whose time at sessions counts, in ascending order.
  private var screenAccounts: [UInt32] {
    accounts.keys.filter { accounts[$0]?.orders.screen.source != .programs }.sorted()
  }

  /// Returns whether the screen time of any account advances.
  func isAnybodyThere(at now: BootInstant) -> Bool {
    screenAccounts.contains { activity.isThere($0, at: now, clockTerms) }
  }

  /// Reports the screen time of all accounts, or of those in which it has advanced since.
  mutating func tellScreenTime(_ now: BootInstant, ofAll: Bool = false) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for account in screenAccounts {
      let time = activity.screenTime(of: account)
      guard ofAll || toldScreenTime[account] != time else { continue }
      toldScreenTime[account] = time
      effects.append(tell(.screenTime(account: account, milliseconds: time), now))
    }
    return effects
  }
}

/// The effects of a machine's sleep (Protocol/13-agent.md §9).
extension AgentMachine {
  /// A return from sleep: until `waits`, deadlines of older orders that passed in it close nothing.
  struct Wake {
    var asleep: BootInstant
    var awake: BootInstant
    var waits: BootInstant
  }

  /// Notes that the machine slept for some milliseconds until now, which divides use.
  ///
  /// It is reported after the use that it divides, so that the node does not count it as use.
  public mutating func slept(_ milliseconds: Int64, at now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    let asleep = now + -max(0, milliseconds)
    wake = Wake(asleep: asleep, awake: now, waits: now + Self.wakeMilliseconds)
    activity.skip(from: asleep, to: now, clockTerms)
    for process in followed.ruled.keys.sorted() {
      guard var known = followed[process], let use = known.use, let began = known.began else { continue }
      let reading = activity.reading(of: use)
      effects.append(tell(.ended(use, milliseconds: max(0, asleep - began), activity: reading), max(began, asleep)))
      known.began = now
      followed[process] = known
      effects.append(tell(.began(use, since: now, activity: reading), now))
    }
    return effects + [tell(.slept(milliseconds: milliseconds), now)]
  }

  /// Returns the instant at which a program with this deadline closes.
  ///
  /// A deadline that passed during a sleep may be wrong, since the sleep used no time. The program
  /// therefore waits a moment for orders that were made after the sleep.
  func closing(at instant: BootInstant) -> BootInstant {
    guard let wake, instant > wake.asleep, instant <= wake.awake else { return instant }
    return wake.waits
  }

  func isClosed(since instant: BootInstant, _ now: BootInstant) -> Bool { closing(at: instant) <= now }
}
