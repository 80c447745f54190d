/// A line of input that one question waits for, and nothing after that question.
struct LineQuestion: Sendable {
  let number: Int
  private let withdrawn: AsyncStream<Void>
  private let withdrawing: AsyncStream<Void>.Continuation

  init(number: Int) {
    self.number = number
    (withdrawn, withdrawing) = AsyncStream.makeStream()
  }

  /// Wait for the line and send it; nothing is sent once the question is withdrawn.
  func read(from console: any Console, to events: PairingEvents) async {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        let line = await console.readLine()
        guard !Task.isCancelled else { return false }
        events.send(.typed(line, question: number))
        return true
      }
      group.addTask {
        for await _ in withdrawn {}
        return false
      }
      _ = await group.next()
      group.cancelAll()
    }
  }

  /// Stop waiting.
  func withdraw() {
    withdrawing.finish()
  }
}
