import LatchkeyAgentProtocol
import LatchkeyModel
import Synchronization

/// What the parts of a node know of its agent: what it is ordered, and whether that is in force.
final class EnforcementState: Sendable {
  private struct State {
    var accounts: [AccountOrders] = []
    var number: UInt64 = 0
    var hello: AgentHello?
    var inForce: UInt64?
    /// When the last orders were made.
    var orderedAt = BootInstant(milliseconds: 0)
    /// Until when the agent may still tell of what ended while the node was away.
    var awaitedUntil: BootInstant?
  }

  private let state = Mutex(State())
  /// Signals that the agent is to be ordered something else.
  let changes = ChangeSignal()

  /// Notes that an agent is expected to connect until an instant.
  func expect(until instant: BootInstant) { state.withLock { $0.awaitedUntil = instant } }

  /// Notes which agent is connected; `nil` for none.
  func connected(_ hello: AgentHello?) {
    state.withLock { state in
      state.hello = hello
      state.inForce = nil
    }
    changes.notify()
  }

  /// Notes that orders are in force.
  func inForce(_ number: UInt64) {
    state.withLock { state in
      state.inForce = number
      // It says so after everything that happened while the node was away.
      state.awaitedUntil = nil
    }
  }

  /// The agent that is connected.
  var agent: AgentHello? { state.withLock { $0.hello } }

  /// Returns whether the agent is about to tell when a program ended that is gone, so that nothing else has to guess it.
  ///
  /// `start` is that of the program's session.
  func isAboutToTell(ofSessionSince start: BootInstant, at now: BootInstant) -> Bool {
    state.withLock { state in
      if let until = state.awaitedUntil { return now < until }
      return state.hello != nil && now - start < Self.awaitedMilliseconds
    }
  }

  /// The time for which the end of a program is left to the agent's report, in milliseconds.
  static let awaitedMilliseconds: Int64 = 10_000

  /// Returns the degree to which rules are enforced: only what an agent says is in force counts.
  ///
  /// Orders that change hardly ever rest: an agent has a moment to say that the newest hold.
  func enforcement(at now: BootInstant) -> Enforcement {
    state.withLock { state in
      let isConfirmed = state.inForce.map { $0 == state.number || now - state.orderedAt < Self.patience } ?? false
      guard let hello = state.hello, isConfirmed, !state.accounts.isEmpty else { return .recorded }
      return hello.isSystem ? .enforced : .ownPrograms
    }
  }

  /// The time within which an agent says that orders hold, in milliseconds.
  private static let patience: Int64 = 2_000

  /// Orders something, if it is other than before.
  func order(_ accounts: [AccountOrders], at now: BootInstant) {
    let isNews = state.withLock { state in
      guard accounts != state.accounts || state.number == 0 else { return false }
      state.accounts = accounts
      state.number += 1
      state.orderedAt = now
      return true
    }
    if isNews { changes.notify() }
  }

  /// Returns the orders; `nil` until something was ordered.
  func orders(boot: String, at now: BootInstant) -> AgentOrders? {
    state.withLock { state in
      state.number == 0
        ? nil : AgentOrders(number: state.number, boot: boot, at: now, accounts: state.accounts)
    }
  }

  /// Returns since when an application is closed in an account by the last orders; `nil` if it is not, or not yet.
  func closedSince(_ app: AppID?, in account: UInt32, at now: BootInstant) -> BootInstant? {
    state.withLock { state in
      guard let orders = state.accounts.first(where: { $0.account == account }) else { return nil }
      let terms = app.map { app in orders.programs.first { $0.app == app }?.terms } ?? orders.unknown
      return terms?.closesAt.flatMap { $0 <= now ? $0 : nil }
    }
  }
}
