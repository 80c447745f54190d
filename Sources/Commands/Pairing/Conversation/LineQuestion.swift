/// A line of input for one question.
struct LineQuestion: Sendable {
  let number: Int
  private let withdrawn: AsyncStream<Void>
  private let withdrawing: AsyncStream<Void>.Continuation

  init(number: Int) {
    self.number = number
    (withdrawn, withdrawing) = AsyncStream.makeStream()
  }

  /// Reads the line and sends it, unless the question has been withdrawn.
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

  /// Withdraws the question.
  func withdraw() {
    withdrawing.finish()
  }
}
