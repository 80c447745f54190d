/// A gate at which tasks meet: some arrive and stay until it opens, one waits until they are there.
actor Gate {
  private var count = 0
  private var isOpen = false
  private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  private var held: [CheckedContinuation<Void, Never>] = []

  /// Counts an arrival.
  func arrive() {
    count += 1
    if let waiting, count >= waiting.count {
      self.waiting = nil
      waiting.continuation.resume()
    }
  }

  /// Waits until `count` have arrived.
  func wait(for count: Int) async {
    guard self.count < count else { return }
    await withCheckedContinuation { waiting = (count, $0) }
  }

  /// Waits until it is open.
  func opened() async {
    guard !isOpen else { return }
    await withCheckedContinuation { held.append($0) }
  }

  /// Opens the gate.
  func open() {
    isOpen = true
    for continuation in held { continuation.resume() }
    held = []
  }
}
