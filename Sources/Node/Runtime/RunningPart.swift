import ServiceLifecycle

/// A part of the node as a service.
///
/// It runs until the node stops, and is then cancelled.
struct RunningPart: Service {
  let operation: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await operation() }
  }
}
