/// Reports the services found: facts that arrive together make one event, and a service that the next back end sees again
/// was never lost.
final class ServiceReporter {
  /// How long what an earlier back end saw is kept for the next one to see again.
  private static let handover = Duration.seconds(6)

  private let loop: DiscoveryLoop
  private let emit: (DiscoveryEvent) -> Void
  private var table = ServiceTable()
  private var flush: LoopTimer?
  private var handoverEnd: LoopTimer?

  /// Creates a reporter that knows no service yet.
  ///
  /// - Parameters:
  ///   - loop: the loop to run on.
  ///   - emit: receives the events.
  init(loop: DiscoveryLoop, emit: @escaping (DiscoveryEvent) -> Void) {
    self.loop = loop
    self.emit = emit
  }

  /// Takes a fact; what is new is reported at once, anything else a moment later.
  func note(_ observation: ServiceObservation) {
    table.note(observation)
    if case .gained(let key, _, _) = observation, table.isNews(key.instanceName) {
      // Somebody may wait for it.
      flush?.cancel()
      flush = nil
      report()
    }
    // One event for what arrives together: port, pairs and addresses are separate records.
    if table.hasChanges, flush == nil {
      flush = loop.schedule(after: .milliseconds(5)) { [unowned self] in
        flush = nil
        report()
      }
    }
  }

  /// Forgets every service and reports it as lost.
  func forget() {
    cancelHandover()
    table.forget()
    report()
  }

  /// Keeps the services for the next back end to see again.
  ///
  /// - Parameter isTimed: whether those that are not seen again in time are reported as lost.
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

  /// Ends the waiting; nothing is called back after this.
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
