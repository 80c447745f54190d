import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Logging
import Synchronization

/// A bridge's access to the node: its changes and notices, and a place to report faults.
///
/// Spec: Protocol/14-bridge.md §1.
public struct Bridge: Sendable {
  /// Returns the node with the receiver's rights.
  ///
  /// With an idempotency key, the node carries out one request once, however often it is repeated.
  public typealias Opening = @Sendable (_ key: String?) async throws -> any NodeInterface

  public let receiver: String
  public let logger: Logger
  /// Returns the address at which phones open the pages; `nil` while no phone is let in.
  let pages: @Sendable () -> String?
  /// The path of the file with the questions that the receiver shows; `nil` for none.
  let record: String?
  private let open: Opening
  private let told = Told()

  public init(
    _ receiver: String, logger: Logger, record: String? = nil, pages: @escaping @Sendable () -> String? = { nil },
    open: @escaping Opening
  ) { (self.receiver, self.logger, self.record, self.pages, self.open) = (receiver, logger, record, pages, open) }

  private final class Told: Sendable {
    /// The fault that the node was told last; `.none` before the first report.
    let fault = Mutex<String??>(.none)
    /// The highest position that the node was told.
    let kept = Mutex(0)
    /// The number of notices that were given up since then.
    let dropped = Mutex(0)
    /// Makes `follow` look again.
    let lookAgain = Mutex<(@Sendable () -> Void)?>(nil)
  }

  /// Returns the node with the receiver's rights, and with an idempotency key for one request.
  public func node(for key: String? = nil) async throws -> any NodeInterface { try await open(key) }

  /// Returns the notices that the receiver was not told and that still matter.
  public func notices() async throws -> ParentNotices { try await node().ask(Endpoints.getNotices, receiver) }

  /// Returns the notices that the receiver was not told, and the children's requests.
  ///
  /// There are no requests if no notice is about one, unless `always` is true.
  ///
  /// The requests are read after the notices. Requests that were read before might lack the one of
  /// a notice, and it would seem to be over.
  func news(withRequests always: Bool) async throws -> (told: ParentNotices, requests: [RequestListing]) {
    let told = try await notices()
    guard always || told.notices.contains(where: { $0.kind == .asked }) else { return (told, []) }
    return (told, try await node().ask(Endpoints.getRequests, nil))
  }

  /// Moves the receiver's position at the node to a notice that it was told.
  public func keep(_ number: Int) async throws {
    guard told.kept.withLock({ number > $0 }) else { return }
    let dropped = told.dropped.withLock { $0 }
    let place = ReceiverPosition(position: number, dropped: dropped == 0 ? nil : min(dropped, 1_000))
    _ = try await node().ask(Endpoints.setPosition, (receiver, place))
    told.dropped.withLock { $0 -= dropped }
    told.kept.withLock { $0 = max($0, number) }
  }

  /// Moves the receiver's position behind all notices, and returns the time until the next look;
  /// `nil` to wait for a change.
  ///
  /// In quiet hours, the next look is at their end.
  ///
  /// An open question ends with its day, which is no change at the node.
  func rest(after news: ParentNotices, hasQuestions: Bool) async throws -> Duration? {
    guard let loud = news.quietUntil else {
      try await keep(news.position)
      return hasQuestions ? .seconds(600) : nil
    }
    return .milliseconds(min(max(1_000, loud - WallClock.now() + 1_000), 3_600_000))
  }

  /// Counts a notice that is given up because the server does not take it.
  func passOver(_ fault: String) {
    told.dropped.withLock { $0 += 1 }
    logger.warning("a notice is passed over", metadata: ["fault": "\(fault)"])
  }

  /// Reports a fault of the receiver's server, with the next step; `nil` if there is none.
  public func report(_ fault: String?) async {
    let fault = fault.map { String(decoding: $0.utf8.prefix(500), as: UTF8.self) }
    let before = told.fault.withLock { told in
      defer { told = .some(fault) }
      return told
    }
    guard before != .some(fault) else { return }
    if let fault {
      logger.warning("something is wrong with the receiver", metadata: ["fault": "\(fault)"])
    } else if before != .none {
      logger.notice("nothing is wrong with the receiver any more")
    }
    await tellNode(fault)
  }

  private func tellNode(_ fault: String?) async {
    do { _ = try await node().ask(Endpoints.reportReceiver, (receiver, ReceiverState(fault: fault))) } catch {
      // It is told when it answers again.
      logger.debug("the node was not told", metadata: ["error": "\(error)"])
    }
  }
}

// MARK: - Following the node

extension Bridge {
  /// The longest pause before the node is tried again, in seconds.
  private static let longestPause: Int64 = 60

  /// Looks now, after each change at the node, and after the pause that a look returns.
  ///
  /// If a look returns `nil`, the next look is after a change.
  ///
  /// Several changes during a look cause one more look. A look that throws is repeated after a
  /// growing pause.
  ///
  /// It ends when it is cancelled, and throws `LocalAPIError` if the node no longer knows the
  /// receiver.
  public func follow(_ look: @Sendable () async throws -> Duration?) async throws {
    let (news, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    told.lookAgain.withLock { $0 = { changed.yield() } }
    let reading = Task { try await readChanges { changed.yield() } }
    // An error of the reading also ends this method.
    let watching = Task {
      _ = await reading.result
      changed.finish()
    }
    defer {
      reading.cancel()
      watching.cancel()
    }
    var (timer, pause) = (Task<Void, Never>?.none, Int64(1))
    defer { timer?.cancel() }
    for await _ in news {
      timer?.cancel()
      var next: Duration?
      do {
        next = try await look()
        pause = 1
      } catch {
        if Self.isFinal(error) { throw error }
        if Task.isCancelled { return }
        logger.warning("the node did not answer", metadata: ["error": "\(error)"])
        next = .seconds(pause)
        pause = min(pause * 2, Self.longestPause)
      }
      timer = next.map { next in
        Task {
          do { try await Task.sleep(for: next) } catch { return }
          changed.yield()
        }
      }
    }
    if !Task.isCancelled { try await reading.value }
  }

  /// Makes `follow` look again, after the look that is under way.
  public func lookAgain() { told.lookAgain.withLock { $0 }?() }

  /// Reads the changes at the node, and calls `changed` for each.
  ///
  /// It opens the stream again whenever it ends.
  private func readChanges(_ changed: @Sendable () -> Void) async throws {
    var pause: Int64 = 1
    while !Task.isCancelled {
      do {
        for await change in try await node().ask(Endpoints.changeEvents, nil) {
          pause = 1
          // A node that was started again has forgotten the fault.
          if change.about == .start, let fault = told.fault.withLock({ $0 }) { await tellNode(fault) }
          changed()
        }
        // The last answer of the node may be out of date.
        changed()
      } catch {
        if Self.isFinal(error) { throw error }
        logger.debug("the node is away", metadata: ["error": "\(error)"])
      }
      do { try await Task.sleep(for: .seconds(pause)) } catch { return }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Returns whether an error says that the receiver was removed, or was never set up at this node.
  private static func isFinal(_ error: any Error) -> Bool {
    guard let code = (error as? LocalAPIError)?.code else { return false }
    return code == .forbidden || code == .wrongRole
  }
}

/// A kind of receiver: its settings, and the way it carries notices.
///
/// Each kind is a folder of this module and a line of `all`.
public protocol BridgeKind: Sendable {
  static var kind: ReceiverKind { get }

  /// Reads the settings that `latchkey receivers add` has written.
  init(_ settings: BridgeSettings) throws(BridgeFault)

  /// Carries notices and answers until it is cancelled.
  ///
  /// It connects again by itself, with pauses.
  ///
  /// It throws `LocalAPIError` if the node no longer knows the receiver.
  func run(_ bridge: Bridge) async throws
}

/// The kinds of receiver.
public enum BridgeKinds {
  public static let all: [any BridgeKind.Type] = [NtfyReceiver.self, WebhookReceiver.self, MQTTBridge.self]

  /// Carries the notices of a receiver.
  public static func run(_ settings: BridgeSettings, _ bridge: Bridge) async throws {
    guard let kind = all.first(where: { $0.kind == settings.kind }) else {
      throw BridgeFault("This Latchkey has no bridge for \(settings.kind.rawValue): update it.")
    }
    try await kind.init(settings).run(bridge)
  }
}
