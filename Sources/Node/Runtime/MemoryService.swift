import LatchkeyAgent

/// A service that gives memory back once the node has started, and from time to time.
struct MemoryService: Sendable {
  func run() async {
    var pause = ResidentMemory.settledMilliseconds
    while !Task.isCancelled {
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
      ResidentMemory.release()
      pause = ResidentMemory.pauseMilliseconds
    }
  }
}
