import ServiceLifecycle

/// Runs every link for as long as the node runs.
struct LinkService: Service {
  let directory: LinkDirectory

  func run() async throws {
    await withDiscardingTaskGroup { group in
      group.addTask { await directory.ring() }
      for await link in directory.new.cancelOnGracefulShutdown() { group.addTask { await link.run() } }
      // Every peer hears that this node stops before anything is cancelled.
      await directory.shutDown()
      group.cancelAll()
    }
  }
}
