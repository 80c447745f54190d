import ServiceLifecycle

/// Runs what all links have to do for as long as the node runs.
struct LinkService: Service {
  let directory: LinkDirectory

  func run() async throws {
    await withDiscardingTaskGroup { group in
      group.addTask { await directory.ring() }
      group.addTask {
        // Every peer hears that this node stops before anything is cancelled.
        try? await gracefulShutdown()
        await directory.shutDown()
      }
      for await job in directory.work { group.addTask { await job() } }
      group.cancelAll()
    }
  }
}
