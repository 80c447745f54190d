import LatchkeyModel
import LatchkeyStore
import LatchkeySystem
import Synchronization

/// The latest changes at this node, each named without its content, only in memory.
///
/// The database notes its changes only while somebody reads, and for a while afterwards, so that a
/// reader that comes back has missed none.
///
/// Spec: Protocol/07-local-api.md §4.
final class ChangeFeed: Sendable {
  /// The largest number of changes that are kept; a reader that is further behind reads everything
  /// again.
  static let capacity = 4_096
  /// The shortest time between two changes of one child's day, in milliseconds.
  private static let todayMilliseconds: Int64 = 1_000
  /// The time for which changes are noted after the last reader has gone, in milliseconds.
  private static let lingerMilliseconds: Int64 = 60_000

  /// The child, or the machine, whose day has changed.
  private struct Day: Hashable {
    var child: ChildID?
    var device: DeviceID?
  }

  private struct State {
    var last: Int
    /// The newest changes, whose numbers follow each other.
    var ring: [ChangeEvent] = []
    var readers = 0
    var isNoting = false
    /// When each day may be reported again; days that have changed since are waiting.
    var days: [Day: (next: BootInstant, isWaiting: Bool)] = [:]
  }

  private let state: Mutex<State>
  private let store: Store
  let changes = ChangeSignal()

  /// Creates an empty feed whose numbers begin above those of an earlier run in the same boot.
  init(_ store: Store, numbersFrom first: Int) {
    self.store = store
    state = Mutex(State(last: max(0, first)))
  }

  /// Adds a change; without a reader, it is forgotten.
  func post(_ event: ChangeEvent) { post([event]) }

  func post(_ events: [ChangeEvent]) {
    let now = BootClock.now()
    let waiting: [Day]? = state.withLock { state in
      guard state.isNoting else { return nil }
      var waiting: [Day] = []
      for event in events {
        if event.about == .today {
          let day = Day(child: event.child, device: event.device)
          if let known = state.days[day], known.next > now {
            if !known.isWaiting { waiting.append(day) }
            state.days[day]?.isWaiting = true
            continue
          }
          state.days[day] = (now + Self.todayMilliseconds, false)
        }
        Self.add(event, to: &state)
      }
      return waiting
    }
    guard let waiting else { return }
    changes.notify()
    for day in waiting { Task { await self.tell(of: day) } }
  }

  private static func add(_ event: ChangeEvent, to state: inout State) {
    state.last += 1
    var event = event
    event.number = state.last
    state.ring.append(event)
    // Room is rarely made, since that moves everything that is kept.
    if state.ring.count >= 2 * capacity { state.ring.removeFirst(capacity) }
  }

  /// Reports a day as soon as it may be reported again.
  private func tell(of day: Day) async {
    try? await Task.sleep(for: .milliseconds(Self.todayMilliseconds))
    state.withLock { state in
      state.days[day] = nil
      Self.add(ChangeEvent(.today, child: day.child, device: day.device), to: &state)
    }
    changes.notify()
  }

  /// Returns the changes after one of that number; `nil` if some of them are not kept.
  private func events(after number: Int) -> [ChangeEvent]? {
    state.withLock { state in
      let first = state.last - min(state.ring.count, Self.capacity)
      guard (first...state.last).contains(number) else { return nil }
      return Array(state.ring.suffix(state.last - number))
    }
  }

  var last: Int { state.withLock { $0.last } }
}

// MARK: - Reading

extension ChangeFeed {
  /// Returns the changes for a reader as it asks for them: `start` or `reset`, then those after
  /// `number`, or from now on without one.
  ///
  /// The reader gets those that `isWanted` passes. It ends with its task, or if `isWanted` throws.
  func read(
    after number: Int?, _ isWanted: @escaping @Sendable (ChangeEvent) async throws -> Bool
  ) async throws(StoreError) -> AsyncStream<ChangeEvent> {
    try await enter()
    let reader = Reader(self, after: number, isWanted)
    return AsyncStream { await reader.next() }
  }

  /// Has the database note its changes from now on.
  private func enter() async throws(StoreError) {
    let isFirst = state.withLock { state in
      state.readers += 1
      guard !exchange(&state.isNoting, with: true) else { return false }
      // The changes in the meantime are not known, so that no reader can continue from before.
      state.last += 1
      state.ring = []
      return true
    }
    guard isFirst else { return }
    do throws(StoreError) { try await store.watch { [weak self] in self?.post($0) } } catch {
      state.withLock { ($0.readers, $0.isNoting) = ($0.readers - 1, false) }
      throw error
    }
  }

  private func leave() {
    let isLast = state.withLock { state in
      state.readers -= 1
      return state.readers == 0
    }
    guard isLast else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(Self.lingerMilliseconds))
      await self?.stopNoting()
    }
  }

  private func stopNoting() async {
    let isOver = state.withLock { state in
      guard state.readers == 0, state.isNoting else { return false }
      (state.isNoting, state.ring, state.days) = (false, [], [:])
      return true
    }
    if isOver { try? await store.watch(nil) }
  }

  /// One reader of a feed, with the number of the last change that it has.
  private actor Reader {
    private let feed: ChangeFeed
    private let isWanted: @Sendable (ChangeEvent) async throws -> Bool
    private var waiting: [ChangeEvent]
    private var last: Int

    init(_ feed: ChangeFeed, after number: Int?, _ isWanted: @escaping @Sendable (ChangeEvent) async throws -> Bool) {
      (self.feed, self.isWanted) = (feed, isWanted)
      let kept = number.flatMap { number in feed.events(after: number).map { (number, $0) } }
      last = kept?.0 ?? feed.last
      let isStart = number == nil || kept != nil
      waiting = [ChangeEvent(isStart ? .start : .reset, number: last)] + (kept?.1 ?? [])
      waiting.reverse()
    }

    deinit { feed.leave() }

    func next() async -> ChangeEvent? {
      while !Task.isCancelled {
        if let event = waiting.popLast() {
          last = max(last, event.number)
          let isOfFeed = event.about == .start || event.about == .reset
          do { if try isOfFeed ? true : await isWanted(event) { return event } } catch { return nil }
          continue
        }
        let seen = feed.changes.version
        if let events = feed.events(after: last) {
          waiting = events.reversed()
          if events.isEmpty { await feed.changes.wait(after: seen) }
        } else {
          waiting = [ChangeEvent(.reset, number: feed.last)]
        }
      }
      return nil
    }
  }
}

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
  ) { call, number in try await call.changes(after: number) }
}

extension Call {
  /// Returns a stream of changes: all of them or, for a child's account, those that the child can
  /// ask about.
  ///
  /// It ends once another child is there, the browser is removed, or the receiver is removed or
  /// replaced.
  fileprivate func changes(after number: Int?) async throws -> AsyncStream<ChangeEvent> {
    let (call, reading) = (self, caller.receiver.map { context.bridges.reading($0.name) })
    return try await context.feed.read(after: number) { event in
      guard try await call.mayStillRead() else { throw CancellationError() }
      guard let child = call.caller.child?.id else { return withExtendedLifetime(reading) { true } }
      switch event.about {
      case .request, .today, .points, .rules: return event.child == child || event.child == nil
      default: return false
      }
    }
  }

  private func mayStillRead() async throws -> Bool {
    if let receiver = caller.receiver { return try await store.receivers().contains(receiver) }
    if let browser = caller.browser {
      return try await store.browsers().contains { $0.browserID == browser.browserID }
    }
    guard let child = caller.child?.id else { return true }
    return caller.mayStillRead(child, try await again.household(), on: own)
  }
}
