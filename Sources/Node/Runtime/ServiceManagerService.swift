import LatchkeySystem
import ServiceLifecycle

/// A service that tells the service manager when the node is up, that it lives, and when it stops.
///
/// A sign of life is sent only after the node has answered a request that reads its database. A
/// process whose parts wait for each other forever therefore sends none, and the service manager
/// starts it again.
struct ServiceManagerService: Service {
  let manager: ServiceManager
  let node: any NodeInterface
  /// Has an element once the local API accepts connections.
  let whenUp: AsyncStream<Void>

  func run() async throws {
    await cancelWhenGracefulShutdown { await report() }
    manager.tell("STOPPING=1")
  }

  private func report() async {
    for await _ in whenUp { break }
    if Task.isCancelled { return }
    manager.tell("READY=1")
    await ChangeSignal().follow {
      // Without an interval, this waits until the node is told to stop.
      guard let interval = manager.signInterval else { return nil }
      // Any answer is a sign of life, also an error: starting the node again does not mend a disk.
      _ = try? await node.ask(Endpoints.getChildren)
      if Task.isCancelled { return nil }
      manager.tell("WATCHDOG=1")
      return Int64(interval / .milliseconds(1))
    }
  }
}

extension NodeService {
  /// The local API and, if the service manager started this process, the reports to it.
  var localServices: [any Service] {
    let (up, told) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let api = ControlService(self) { told.yield() }
    let all: [any Service] =
      context.profile.role == .parent
      ? [api, ControlService(bridgesOf: self), ControlService(browsersOf: self)] : [api]
    guard let manager = ServiceManager.ofThisProcess() else { return all }
    return all + [ServiceManagerService(manager: manager, node: self, whenUp: up)]
  }
}

/// A part of the node as a service.
///
/// It runs until the node stops, and is then cancelled.
struct RunningPart: Service {
  let operation: @Sendable () async -> Void

  func run() async throws { await cancelWhenGracefulShutdown { await operation() } }
}
