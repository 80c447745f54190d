import ServiceLifecycle

/// A service that carries out the links' operations for as long as the node runs.
struct LinkService: Service {
  let directory: LinkDirectory

  func run() async throws {
    await withDiscardingTaskGroup { group in
      group.addTask { await directory.ring() }
      group.addTask {
        // Every peer receives a goodbye before anything is cancelled.
        try? await gracefulShutdown()
        await directory.shutDown()
      }
      for await job in directory.work { group.addTask { await job() } }
      group.cancelAll()
    }
  }
}
