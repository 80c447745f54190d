import LatchkeyModel
import LatchkeyStore

/// The stream of changes at this node.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let changeRoutes: [any ServedEndpoint] = [changeEvents]

  public static let changeEvents = Endpoint(
    events: "/v1/events",
    Query.number("after", "The number of the last change that is known; those from now on if it is absent."),
    whoMay: .operatorsChildAndReceivers, browsers: .look,
    summary: "What changes at this node, each named without its content; for a child what concerns that child."
  ) { call, number in
    try await call.changes(after: number)
  }
}

extension Call {
  /// Returns a stream of changes: all of them or, for a child's account, those that the child can
  /// ask about.
  fileprivate func changes(after number: Int?) async throws -> AsyncStream<ChangeEvent> {
    if let receiver = caller.receiver { return try await changes(after: number, for: receiver) }
    if let browser = caller.browser { return try await changes(after: number, for: browser) }
    let (call, child) = (self, caller.child?.id)
    return try await context.feed.read(after: number) { event in
      guard let child else { return true }
      // Somebody else may be there than before.
      guard call.caller.mayStillRead(child, try await call.again.household(), on: call.own) else {
        throw CancellationError()
      }
      switch event.about {
      case .request, .today, .points, .rules: return event.child == child || event.child == nil
      default: return false
      }
    }
  }

  /// Returns the changes for a browser that was let in, until it is removed.
  private func changes(after number: Int?, for browser: BrowserListing) async throws -> AsyncStream<ChangeEvent> {
    let call = self
    return try await context.feed.read(after: number) { _ in
      guard try await call.store.browsers().contains(where: { $0.browserID == browser.browserID }) else {
        throw CancellationError()
      }
      return true
    }
  }

  /// Returns the changes for the bridge of a receiver, until the receiver is removed or replaced.
  private func changes(after number: Int?, for receiver: StoredReceiver) async throws -> AsyncStream<ChangeEvent> {
    let (call, reading) = (self, context.bridges.reading(receiver.name))
    return try await context.feed.read(after: number) { _ in
      guard try await call.store.receivers().contains(receiver) else { throw CancellationError() }
      return withExtendedLifetime(reading) { true }
    }
  }
}
