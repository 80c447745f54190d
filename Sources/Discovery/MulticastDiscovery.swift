import LatchkeySystem
import Synchronization

/// Discovers peers over mDNS, on a thread of its own.
///
/// It uses the system's avahi-daemon if one serves the wanted interfaces, and otherwise the mDNS
/// stack inside the process. It switches between the two when the daemon starts, stops or restarts.
/// The configuration may allow only one of them.
///
/// Everything that is found is a hint: it was not authenticated, and its absence never means that a
/// peer is gone.
///
/// Spec: Protocol/02-discovery.md §5.
public final class MulticastDiscovery: Sendable {
  /// The time that `run` waits for the thread to end.
  ///
  /// Only a call over D-Bus to a daemon that hangs takes longer. The thread then frees everything
  /// when that call returns.
  private static let patience = Duration.milliseconds(1500)

  private struct Life {
    var started = false
    var cancelled = false
    var stranded = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// The found and lost services, and the state of discovery.
  ///
  /// There may be one consumer. The buffer holds 4,096 events; the oldest are dropped beyond that.
  public let events: AsyncStream<DiscoveryEvent>

  private let continuation: AsyncStream<DiscoveryEvent>.Continuation
  private let configuration: DiscoveryConfiguration
  private let isOfInterest: ServiceInterest
  private let mailbox: LoopMailbox?
  private let life = Mutex(Life())

  /// Prepares discovery; nothing is opened before `run`.
  ///
  /// For instances that are not of interest, no address is reported, and the port is 0.
  public init(configuration: DiscoveryConfiguration, isOfInterest: @escaping ServiceInterest = { _ in true }) {
    (self.configuration, self.isOfInterest) = (configuration, isOfInterest)
    mailbox = try? LoopMailbox()
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(DiscoveryLimits.bufferedEvents))
  }

  /// Replaces the announcement, without waiting for the network; `nil` withdraws it with a goodbye.
  ///
  /// It may be called before `run`, and any number of times.
  public func advertise(_ advertisement: ServiceAdvertisement?) { post(.advertise(advertisement)) }

  /// Examines again whether ignored instances are of interest now.
  ///
  /// Without a call, discovery checks every half a minute.
  public func lookAgain() { post(.lookAgain) }

  /// Sets the attention to other machines' announcements.
  ///
  /// Services that were found remain found while there is no attention. Services that have
  /// disappeared meanwhile are reported as lost a second after it returns.
  public func attend(_ attention: Attention) { post(.attend(attention)) }

  private func post(_ command: LoopMailbox.Command) { mailbox?.post(command) }

  /// Runs discovery until cancelled; call it once.
  ///
  /// It returns after the announcement is withdrawn and every resource is free, and finishes
  /// `events`.
  public func run() async {
    guard life.withLock({ !exchange(&$0.started, with: true) }) else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        life.withLock { $0.waiting = waiting }
        startThread()
      }
    } onCancel: {
      post(.stop)
      let stranded = life.withLock { life in
        life.cancelled = true
        return life.stranded
      }
      guard !stranded else { return finish() }
      // The task outlives this call by design, since nothing else could end a wait that the thread
      // does not end.
      Task.detached { [self] in
        try? await Task.sleep(for: Self.patience)
        finish()
      }
    }
    continuation.finish()
  }

  private func startThread() {
    guard mailbox != nil else { return fail(.noDescriptors) }
    if !DetachedThread.start(stack: 1 << 20, { self.thread() }) { fail(.noMemory) }
  }

  private func thread() {
    do throws(LoopError) {
      try discover()
      finish()
    } catch {
      fail(error)
    }
  }

  private func discover() throws(LoopError) {
    guard let mailbox else { throw LoopError.noDescriptors }
    let loop = try DiscoveryLoop()
    let continuation = continuation
    let engine = DiscoveryEngine(loop: loop, configuration: configuration, isOfInterest: isOfInterest) {
      continuation.yield($0)
    }
    defer { engine.close() }
    func obey() {
      for command in mailbox.take() {
        switch command {
        case .advertise(let advertisement): engine.advertise(advertisement)
        case .lookAgain: engine.lookAgain()
        case .attend(let attention): engine.attend(attention)
        case .stop: loop.quit()
        }
      }
    }
    // Commands that were posted before the start take effect at once, so that wanted services are
    // known from the beginning.
    obey()
    let watch = try LoopWatch(mailbox.readEnd, on: loop) { obey() }
    defer { watch.close() }
    try engine.start()
    guard loop.run() else { throw LoopError.broken }
  }

  /// Reports that there is no thread, and waits for the cancellation as in every other state.
  private func fail(_ error: LoopError) {
    let cause =
      switch error {
      case .noDescriptors: "Discovery cannot open more files; raise the limit with ulimit -n and restart the node."
      case .noMemory: "Discovery has no memory for its thread; end other programs and restart the node."
      case .broken: "Discovery lost its event loop; restart the node."
      }
    continuation.yield(.state(.failed(cause)))
    let cancelled = life.withLock { life in
      life.stranded = true
      return life.cancelled
    }
    if cancelled { finish() }
  }

  /// Lets `run` return, once.
  private func finish() { life.withLock { $0.waiting.take() }?.resume() }
}

/// The service type, the interfaces and the permitted back ends of a discovery.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// The DNS-SD type that is announced and searched for; `_latchkey._tcp` unless a test needs
  /// another one.
  public var serviceType: String
  /// The names of the interfaces to use, as `ip link` shows them; `nil` if the general rule
  /// applies.
  ///
  /// At most 16 interfaces are used.
  ///
  /// Spec: Protocol/02-discovery.md §6.
  public var interfaces: [String]?
  /// A Boolean value that indicates whether the mDNS stack inside the process may be used.
  public var allowEmbedded: Bool
  public var allowDaemon: Bool
  /// The attention to other machines' announcements at the start.
  public var attention: Attention

  public init(
    serviceType: String = "_latchkey._tcp", interfaces: [String]? = nil, allowEmbedded: Bool = true,
    allowDaemon: Bool = true, attention: Attention = .full
  ) {
    (self.serviceType, self.interfaces, self.allowEmbedded) = (serviceType, interfaces, allowEmbedded)
    (self.allowDaemon, self.attention) = (allowDaemon, attention)
  }
}

/// Returns whether to follow an instance with these pairs in its TXT record, down to its addresses.
///
/// It is called on the loop's thread and must not wait.
public typealias ServiceInterest = @Sendable (_ text: [String: [UInt8]]) -> Bool
