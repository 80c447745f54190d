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
  /// The last input.
  public var input: Input

  /// Creates a view; by default, nothing can be seen.
  public init(accounts: Set<UInt32>? = nil, input: Input = .unknown) {
    self.accounts = accounts
    self.input = input
  }

  /// The time after an input for which a person is taken to be there, in milliseconds.
  public static let inputMilliseconds: Int64 = 300_000

  /// Returns how much of a stretch an account was active in, in milliseconds, as far as that can be seen.
  ///
  /// What cannot be seen does not lower it.
  func activeMilliseconds(_ account: UInt32, from start: BootInstant, to end: BootInstant) -> Int64 {
    if let accounts, !accounts.contains(account) { return 0 }
    switch input {
    case .unknown: return max(0, end - start)
    case .last(nil): return 0
    case .last(.some(let last)): return max(0, min(end, last + Self.inputMilliseconds) - start)
    }
  }
}
