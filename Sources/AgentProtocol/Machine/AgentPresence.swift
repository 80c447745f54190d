import LatchkeyModel

/// What an agent can see of people at the machine.
///
/// Spec: Protocol/13-agent.md §9.
public struct AgentPresence: Hashable, Sendable {
  /// The input of people, by the clock of the boot.
  public enum Input: Hashable, Sendable {
    /// There are no input devices that the agent can read.
    case unknown
    /// The last input that was seen; `nil` for none so far.
    case last(BootInstant?)
  }

  /// The accounts of which a session is in the foreground of a seat and not locked; `nil` if logind does not answer.
  public var accounts: Set<UInt32>?
  /// The accounts of which a session is in the foreground of a seat, and locked by what its desktop says.
  public var locked: Set<UInt32>
  public var input: Input

  /// Creates a view; by default, nothing can be seen.
  public init(accounts: Set<UInt32>? = nil, locked: Set<UInt32> = [], input: Input = .unknown) {
    self.accounts = accounts
    self.locked = locked
    self.input = input
  }

  /// The time after an input for which a person is taken to be active, in milliseconds.
  public static let inputMilliseconds: Int64 = 300_000

  /// A Boolean value that indicates whether it can be seen that somebody is at a session: logind answers, and an input device
  /// can be read.
  public var showsPeople: Bool { accounts != nil && input != .unknown }

  /// Returns how much of a stretch somebody was there in an account, in milliseconds, as far as that can be seen.
  ///
  /// What cannot be seen does not lower it. `grace` is the time after an input for which somebody is taken to be there.
  func activeMilliseconds(
    _ account: UInt32, from start: BootInstant, to end: BootInstant, grace: Int64 = Self.inputMilliseconds
  ) -> Int64 {
    if let accounts, !accounts.contains(account) { return 0 }
    switch input {
    case .unknown: return max(0, end - start)
    case .last(nil): return 0
    case .last(.some(let last)): return max(0, min(end, last + grace) - start)
    }
  }
}

/// The accounts whose locked screens are not believed, since somebody goes on typing or playing behind them.
///
/// Whether a screen is locked is the word of its desktop, which a child can forge.
///
/// Spec: Protocol/13-agent.md §9.
struct DoubtedLocks: Hashable, Sendable {
  /// The minutes that are looked back over.
  static let minutes: Int64 = 5
  /// The minutes with input among these from which on a lock is not believed: a password is typed in fewer.
  static let mostWithInput = 3

  private var inputs: [UInt32: Set<Int64>] = [:]

  /// Takes what is seen of people.
  mutating func see(_ presence: AgentPresence, at now: BootInstant) {
    let minute = now.milliseconds / 60_000
    // A screen that is unlocked for a moment is not believed the more when it is locked again.
    inputs = inputs.mapValues { $0.filter { $0 > minute - Self.minutes } }.filter { !$0.value.isEmpty }
    guard case .last(.some(let last)) = presence.input, now - last < 60_000 else { return }
    for account in presence.locked { inputs[account, default: []].insert(last.milliseconds / 60_000) }
  }

  /// Returns whether the lock of an account's screen is not believed.
  func contains(_ account: UInt32) -> Bool { inputs[account].map { $0.count >= Self.mostWithInput } ?? false }
}
