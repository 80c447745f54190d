/// A question that one line of input answers, and that can be withdrawn.
struct LineQuestion: Sendable {
  let number: Int
  private let withdrawn: AsyncStream<Void>
  private let withdrawing: AsyncStream<Void>.Continuation

  init(number: Int) {
    self.number = number
    (withdrawn, withdrawing) = AsyncStream.makeStream()
  }

  /// Reads a line from the console and sends it to `events`; sends nothing if the question is withdrawn before.
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

  /// Ends the wait for the line.
  ///
  /// A line that has been read already may still arrive.
  func withdraw() {
    withdrawing.finish()
  }
}
