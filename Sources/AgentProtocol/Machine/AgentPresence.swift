import LatchkeyModel

/// What an agent can see of people at the machine (Protocol/13-agent.md §9).
public struct AgentPresence: Hashable, Sendable {
  /// The input of people, by the boot clock.
  public enum Input: Hashable, Sendable {
    /// There are no input devices that the agent can read.
    case unknown
    /// The time of the last input; `nil` for none so far.
    case last(BootInstant?)
  }

  /// The accounts with an unlocked session in the foreground of a seat; `nil` without logind.
  public var accounts: Set<UInt32>?
  /// The accounts with a session in the foreground of a seat that its desktop calls locked.
  public var locked: Set<UInt32>
  public var input: Input

  /// Creates a view; by default, nothing can be seen.
  public init(accounts: Set<UInt32>? = nil, locked: Set<UInt32> = [], input: Input = .unknown) {
    (self.accounts, self.locked, self.input) = (accounts, locked, input)
  }

  /// The time after an input for which a person counts as active, in milliseconds.
  public static let inputMilliseconds: Int64 = 300_000

  /// A Boolean value that indicates whether the presence of a person can be seen: logind answers,
  /// and an input device can be read.
  public var showsPeople: Bool { accounts != nil && input != .unknown }

  /// Returns how long a person was present in an account during a stretch, in milliseconds.
  ///
  /// What cannot be seen does not reduce the time. `grace` is the time after an input for which a
  /// person counts as present.
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

/// The accounts whose locked screens are doubted, since a person goes on typing or playing.
///
/// Only the desktop reports whether a screen is locked, and a child can forge that. Spec:
/// Protocol/13-agent.md §9.
struct DoubtedLocks: Hashable, Sendable {
  /// The number of past minutes that are considered.
  static let minutes: Int64 = 5
  /// The number of these minutes with input from which a lock is doubted: more than for a password.
  private static let mostWithInput = 3

  private var inputs: [UInt32: Set<Int64>] = [:]

  mutating func see(_ presence: AgentPresence, at now: BootInstant) {
    let minute = now.milliseconds / 60_000
    // Unlocking the screen for a moment does not restore trust in the lock.
    inputs = inputs.mapValues { $0.filter { $0 > minute - Self.minutes } }.filter { !$0.value.isEmpty }
    guard case .last(.some(let last)) = presence.input, now - last < 60_000 else { return }
    for account in presence.locked { inputs[account, default: []].insert(last.milliseconds / 60_000) }
  }

  /// Returns whether the lock of an account's screen is doubted.
  func contains(_ account: UInt32) -> Bool { inputs[account].map { $0.count >= Self.mostWithInput } ?? false }
}
