import ServiceLifecycle

/// A part of the node as a service: runs until the node is told to stop, and is cancelled then.
struct RunningPart: Service {
  let operation: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await operation() }
  }
}
