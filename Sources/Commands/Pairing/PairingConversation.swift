import LatchkeyModel

/// Follows a pairing to its end, and asks the person when there is something to decide.
struct PairingConversation: Sendable {
  let node: any NodeInterface
  let console: any Console
  let side: PairingSide
  /// Whether the person here is asked, or has agreed beforehand.
  let asks: Bool

  /// Wait until the pairing has ended; an interrupt cancels it at the node.
  func follow(_ first: PairingProgress, interrupts: AsyncStream<Void>) async throws -> PairingProgress {
    let ended = try await withThrowingTaskGroup(of: PairingProgress?.self) { group in
      group.addTask { try await follow(first) }
      group.addTask {
        for await _ in interrupts { return nil }
        // The stream ends only with its task, and then nobody waits for this any more.
        try await Task.sleep(for: .seconds(86_400))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let ended { return ended }
    return try await cancel(first)
  }

  private func cancel(_ pairing: PairingProgress) async throws -> PairingProgress {
    do {
      return try await node.cancelPairing(id: pairing.pairingID)
    } catch {
      throw CommandFailure(
        ExitStatus(error.code),
        "The pairing could not be cancelled, and its code stays open until its time is up: \(error.message)")
    }
  }

  private func follow(_ first: PairingProgress) async throws -> PairingProgress {
    var progress = first
    var asked: Int?
    var told: String?
    var failuresLeft = first.failuresLeft
    while progress.phase != .ended {
      if let left = progress.failuresLeft, let before = failuresLeft, left < before, side == .inviter {
        console.note(
          "Somebody entered a wrong code; \(ShownText.count(left, "failure")) left until the code is closed.")
      }
      failuresLeft = progress.failuresLeft ?? failuresLeft
      if progress.phase == .asking, asks, asked != progress.attempt {
        asked = progress.attempt
        told = progress.digits
        progress = try await ask(progress)
        continue
      }
      if let digits = progress.digits, told != digits {
        told = digits
        console.note(introduction(progress) + ".")
      }
      progress = try await node.pairing(id: progress.pairingID, after: progress.change)
    }
    return progress
  }

  /// Put the question, and give up on it when the pairing goes on without an answer.
  private func ask(_ question: PairingProgress) async throws -> PairingProgress {
    console.prompt(introduction(question) + ". Accept? [y/N] ")
    return try await withThrowingTaskGroup(of: PairingProgress?.self) { group in
      group.addTask {
        let line = await console.readLine()
        if Task.isCancelled { return nil }
        return try await node.answerPairing(
          id: question.pairingID, PairingAnswer(accept: Self.isYes(line), attempt: question.attempt))
      }
      group.addTask {
        var progress = question
        while progress.change == question.change {
          progress = try await node.pairing(id: question.pairingID, after: question.change)
        }
        return progress
      }
      defer { group.cancelAll() }
      while let progress = try await group.next() {
        if let progress { return progress }
      }
      throw CancellationError()
    }
  }

  private func introduction(_ progress: PairingProgress) -> String {
    let name = ShownText.quoted(progress.peerName ?? DeviceName(sanitising: ""))
    let role = progress.peerRole.map { " (\($0.rawValue))" } ?? ""
    let action = side == .inviter ? "wants to join" : "answers to the code"
    let digits = progress.digits.map { "; both screens show \(Self.grouped($0))" } ?? ""
    return "\(name)\(role) \(action)\(digits)"
  }

  /// Whether an answer means yes; anything else, nothing included, means no.
  static func isYes(_ line: String?) -> Bool {
    let word = (line ?? "").lowercased().filter { !$0.isWhitespace }
    return word == "y" || word == "yes"
  }

  /// Six digits as two groups of three.
  static func grouped(_ digits: String) -> String {
    digits.count == 6 ? "\(digits.prefix(3)) \(digits.suffix(3))" : ShownText.safe(digits)
  }
}
