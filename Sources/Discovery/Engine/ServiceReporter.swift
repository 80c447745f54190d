/// The reporter of found services: facts that arrive together result in one event, and a service
/// that the next back end confirms was never lost.
final class ServiceReporter {
  /// The time for which the results of an earlier back end are kept for the next one to confirm.
  private static let handover = Duration.seconds(6)

  private let loop: DiscoveryLoop
  private let emit: (DiscoveryEvent) -> Void
  private var table = ServiceTable()
  private var flush: LoopTimer?
  private var handoverEnd: LoopTimer?

  /// Creates a reporter that knows no service yet.
  init(loop: DiscoveryLoop, emit: @escaping (DiscoveryEvent) -> Void) {
    self.loop = loop
    self.emit = emit
  }

  /// Takes a fact.
  ///
  /// News is reported at once, anything else a moment later.
  func note(_ observation: ServiceObservation) {
    table.note(observation)
    if case .gained(let key, _, _) = observation, table.isNews(key.instanceName) {
      // A caller may be waiting for it.
      flush?.cancel()
      flush = nil
      report()
    }
    // Facts that arrive together result in one event, since port, text and addresses are separate
    // records.
    if table.hasChanges, flush == nil {
      flush = loop.schedule(after: .milliseconds(5)) { [unowned self] in
        flush = nil
        report()
      }
    }
  }

  /// Removes every service and reports it as lost.
  func forget() {
    cancelHandover()
    table.forget()
    report()
  }

  /// Keeps the services for the next back end to confirm.
  ///
  /// If `isTimed` is `true`, those that are not confirmed in time are reported as lost.
  func beginHandover(isTimed: Bool) {
    table.beginHandover()
    cancelHandover()
    guard isTimed else { return }
    handoverEnd = loop.schedule(after: Self.handover) { [unowned self] in
      handoverEnd = nil
      table.endHandover()
      report()
    }
  }

  /// Cancels all timers.
  ///
  /// No call-back follows.
  func close() {
    flush?.cancel()
    cancelHandover()
  }

  private func cancelHandover() {
    handoverEnd?.cancel()
    handoverEnd = nil
  }

  private func report() {
    for event in table.takeEvents() { emit(event) }
  }
}
