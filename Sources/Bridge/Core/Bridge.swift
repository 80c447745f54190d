import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Logging
import Synchronization

/// What a bridge has of the node: its changes, its notices, and a place to say what is wrong.
///
/// Spec: Protocol/14-bridge.md §1.
public struct Bridge: Sendable {
  /// Returns the node by the rights of the receiver; with a key for one deed, which the node does
  /// once however often it is asked for by that key.
  public typealias Opening = @Sendable (_ key: String?) async throws -> any NodeInterface

  public let receiver: String
  public let logger: Logger
  /// Returns the address at which phones open the pages; `nil` while none is let in.
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
    /// What the node was told last; `.none` before anything was told.
    let fault = Mutex<String??>(.none)
    /// The highest number of a notice that the node was told to keep.
    let kept = Mutex(0)
    /// The notices that were given up since.
    let dropped = Mutex(0)
    /// Has the node followed look again.
    let lookAgain = Mutex<(@Sendable () -> Void)?>(nil)
  }

  /// Returns the node by the rights of the receiver; with a key for one deed.
  public func node(for key: String? = nil) async throws -> any NodeInterface { try await open(key) }

  /// Returns what the receiver has not been told and still matters.
  public func notices() async throws -> ParentNotices { try await node().ask(Endpoints.getNotices, receiver) }

  /// Returns what the receiver has not been told, and the requests of children; no requests if no
  /// notice is about one, unless they are needed `always`.
  ///
  /// The requests are read after the notices: earlier ones might lack the request of a notice,
  /// which would be taken for one that is over.
  func news(withRequests always: Bool) async throws -> (told: ParentNotices, requests: [RequestListing]) {
    let told = try await notices()
    guard always || told.notices.contains(where: { $0.kind == .asked }) else { return (told, []) }
    return (told, try await node().ask(Endpoints.getRequests, nil))
  }

  /// Keeps up to which notice the receiver was told.
  public func keep(_ number: Int) async throws {
    guard told.kept.withLock({ number > $0 }) else { return }
    let dropped = told.dropped.withLock { $0 }
    let place = ReceiverPosition(position: number, dropped: dropped == 0 ? nil : min(dropped, 1_000))
    _ = try await node().ask(Endpoints.setPosition, (receiver, place))
    told.dropped.withLock { $0 -= dropped }
    told.kept.withLock { $0 = max($0, number) }
  }

  /// Keeps that the receiver was told everything, and returns the time until the next look: in
  /// quiet hours until their end; `nil` to wait for a change.
  ///
  /// A question that is open ends with its day, without a change.
  func rest(after news: ParentNotices, hasQuestions: Bool) async throws -> Duration? {
    guard let loud = news.quietUntil else {
      try await keep(news.position)
      return hasQuestions ? .seconds(600) : nil
    }
    return .milliseconds(min(max(1_000, loud - WallClock.now() + 1_000), 3_600_000))
  }

  /// Notes that a notice is given up, since the server does not take it.
  func passOver(_ fault: String) {
    told.dropped.withLock { $0 += 1 }
    logger.warning("a notice is passed over", metadata: ["fault": "\(fault)"])
  }

  /// Says what is wrong with the server behind the receiver, and what to do; `nil` if it is well.
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
      // It is told when it is there again.
      logger.debug("the node was not told", metadata: ["error": "\(error)"])
    }
  }
}

// MARK: - Following the node

extension Bridge {
  /// The longest pause before the node is tried again, in seconds.
  private static let longestPause: Int64 = 60

  /// Looks now, after each change that the node tells of, and after the pause that a look asks for;
  /// after `nil` only when something changes.
  ///
  /// Several changes during a look are one. A look that throws is repeated after a growing pause.
  ///
  /// Ends when it is cancelled; throws `LocalAPIError` if the node forgets the receiver.
  public func follow(_ look: @Sendable () async throws -> Duration?) async throws {
    let (news, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    told.lookAgain.withLock { $0 = { changed.yield() } }
    let reading = Task { try await readChanges { changed.yield() } }
    // An error of the reading ends this one.
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

  /// Has `follow` look again, after the look that is under way.
  public func lookAgain() { told.lookAgain.withLock { $0 }?() }

  /// Reads the changes at the node, again and again, and says for each that there is news.
  private func readChanges(_ changed: @Sendable () -> Void) async throws {
    var pause: Int64 = 1
    while !Task.isCancelled {
      do {
        for await change in try await node().ask(Endpoints.changeEvents, nil) {
          pause = 1
          // A node that was started again has forgotten what was wrong.
          if change.about == .start, let fault = told.fault.withLock({ $0 }) { await tellNode(fault) }
          changed()
        }
        // What the node said last may not hold any more.
        changed()
      } catch {
        if Self.isFinal(error) { throw error }
        logger.debug("the node is away", metadata: ["error": "\(error)"])
      }
      do { try await Task.sleep(for: .seconds(pause)) } catch { return }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Returns whether a receiver was removed, or has never been set up here.
  private static func isFinal(_ error: any Error) -> Bool {
    guard let code = (error as? LocalAPIError)?.code else { return false }
    return code == .forbidden || code == .wrongRole
  }
}

/// A kind of receiver: what it needs to know, and how it carries notices.
///
/// Each kind is a folder of this module and a line of `all`.
public protocol BridgeKind: Sendable {
  static var kind: ReceiverKind { get }

  /// Reads the settings that `latchkey receivers add` has written.
  init(_ settings: BridgeSettings) throws(BridgeFault)

  /// Carries notices and answers until it is cancelled; connects again by itself, with pauses.
  ///
  /// Throws `LocalAPIError` if the node does not know the receiver any more.
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
