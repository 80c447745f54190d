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
        isAgentConnected: agent != nil, hasProcessEvents: agent?.hasEvents == true, startedAt: context.startedAt,
        now: context.wall()
      ).families)
  }
}
