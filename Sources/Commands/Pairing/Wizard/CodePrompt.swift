import LatchkeyModel

/// Asks for a code, and shows meanwhile which codes are open on the network.
struct CodePrompt {
  let node: any NodeInterface
  let console: any Console
  let events: PairingEvents
  let look: TerminalLook

  private static let prompt = "Code: "
  /// How many open codes are named.
  private static let most = 8

  /// Wait for a line that has something in it.
  ///
  /// - Throws: `CommandFailure` when the person leaves; nothing is going on then.
  func code() async throws -> String {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await search() }
      return look.moves ? try await readKeys(&group) : try await readLine()
    }
  }

  /// Send what is found each time it changes; a node that does not answer is asked no more.
  private func search() async {
    var change = 0
    while !Task.isCancelled, let found = try? await node.nearbyInvitations(after: change) {
      guard !Task.isCancelled else { return }
      change = found.change
      events.send(.found(found))
    }
    if !Task.isCancelled { events.send(.found(NearbyInvitations(change: change, invitations: []))) }
  }

  private func readKeys(_ group: inout ThrowingTaskGroup<Void, any Error>) async throws -> String {
    console.setInput(.keys)
    defer { console.setInput(.lines) }
    group.addTask {
      while let keys = await console.readKeys() {
        guard !Task.isCancelled else { return }
        events.send(.keys(keys))
      }
      if !Task.isCancelled { events.send(.keys(nil)) }
    }
    var editor = LineEditor()
    var panel = PromptPanel(console: console)
    var found: NearbyInvitations?
    defer { panel.leave() }
    while true {
      panel.show(lines(found), prompt: Self.prompt, typed: editor.text)
      switch try await events.next() {
      case .found(let next): found = next
      case .resized: panel.startAnew()
      case .interrupted, .keys(nil): throw WizardPrompt.left
      case .keys(let bytes?):
        switch editor.received(bytes) {
        case .typing: break
        case .end: throw WizardPrompt.left
        case .line(let line):
          if line.contains(where: { !$0.isWhitespace }) { return line }
          editor = LineEditor()
        }
      default: break
      }
    }
  }

  private func lines(_ found: NearbyInvitations?) -> [String] {
    WrappedText.lines(Self.sentence(found), columns: console.size.columns - 1)
  }

  private static func sentence(_ found: NearbyInvitations?) -> String {
    var prefixes = (found?.invitations ?? []).map { ShownText.safe($0.prefix) }
    // Anybody can announce anything; the prompt stays in sight.
    if prefixes.count > most { prefixes = prefixes.prefix(most) + ["…"] }
    switch prefixes.count {
    case 0: return "Looking for open codes on this network …"
    case 1: return "There is an open code on this network; its short form begins with \(prefixes[0])."
    default:
      return "There are open codes on this network; their short forms begin with \(prefixes.joined(separator: ", "))."
    }
  }

  /// Without a cursor that moves: what is found at once is told, and then the line belongs to the person.
  private func readLine() async throws -> String {
    let first = try await firstFound()
    WizardEnd.note(Self.sentence(first), console)
    while true {
      let line = try await WizardPrompt(console: console, events: events).line("Code:")
      if line.contains(where: { !$0.isWhitespace }) { return line }
    }
  }

  private func firstFound() async throws -> NearbyInvitations {
    while true {
      switch try await events.next() {
      case .found(let found): return found
      case .interrupted: throw WizardPrompt.left
      default: break
      }
    }
  }
}
