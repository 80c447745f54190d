import LatchkeyModel

/// The node's metrics.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let metricsRoutes: [any ServedEndpoint] = [getMetrics]

  package static let getMetrics = Endpoint(
    text: "/v1/metrics", summary: "The node's metrics, in Prometheus' text format of version 0.0.4."
  ) { call in
    try await call.metrics()
  }
}

extension Call {
  fileprivate func metrics() async throws -> String {
    let status = try await status()
    let agent = context.enforcementState.agent
    return MetricFamily.text(
      NodeMetrics(
        status: status, commits: store.commitStatistics, agent: context.agentCounters.numbers,
        isAgentConnected: agent != nil, hasProcessEvents: agent?.hasEvents == true,
        receivers: try await receiverNumbers(),
        conditions: role == .parent ? try await conditions().count(where: \.isWarning) : 0,
        startedAt: context.startedAt, now: context.wall()
      ).families)
  }

  private func receiverNumbers() async throws -> NodeMetrics.ReceiverNumbers {
    var numbers = NodeMetrics.ReceiverNumbers()
    for receiver in try await store.receivers() {
      let bridge = context.bridges[receiver.name]
      if bridge.readers == 0 {
        numbers.stopped += 1
      } else if bridge.fault == nil {
        numbers.works += 1
      } else {
        numbers.faulty += 1
      }
    }
    numbers.waiting = try await store.noticesWaiting()
    numbers.counts = context.bridges.counts
    return numbers
  }
}
