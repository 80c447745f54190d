import LatchkeyModel
import LatchkeyNode

/// A prompt for a code that shows the open codes on the network.
struct CodePrompt {
  let node: any NodeInterface
  let console: any Console
  let events: PairingEvents
  let look: TerminalLook

  private static let prompt = "Code: "
  /// The largest number of open codes that are listed.
  private static let most = 8

  /// Returns the first line that is not empty; throws `TerminalFailure` if the person leaves,
  /// before any pairing has begun.
  func code() async throws -> String {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await search() }
      return look.moves ? try await readKeys(&group) : try await readLine()
    }
  }

  /// Sends the open codes after each change, until the node does not answer.
  private func search() async {
    var change = 0
    while !Task.isCancelled, let found = try? await node.ask(Endpoints.waitForInvitations, change) {
      guard !Task.isCancelled else { return }
      change = found.change
      events.send(.found(found))
    }
    if !Task.isCancelled { events.send(.found(NearbyInvitations.none(after: change))) }
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
    var (code, editor) = (CodeInput(), LineEditor())
    var panel = PromptPanel(console: console)
    var found: NearbyInvitations?
    defer { panel.leave() }
    while true {
      panel.show(lines(found, code), prompt: Self.prompt, typed: code.text + editor.text)
      switch try await events.next() {
      case .found(let next): found = next
      case .resized: panel.startAnew()
      case .interrupted, .keys(nil): throw WizardPrompt.left
      case .keys(let bytes?):
        for part in Self.parts(bytes) {
          switch editor.received(part) {
          case .typing: break
          case .end: throw WizardPrompt.left
          case .line(let line):
            editor = LineEditor()
            // A lone end of a line is a person's Enter; others may be a paste's.
            if code.takes(line, leaves: bytes.count == 1) {
              // It stays to be compared with the other screen, also when it came with its Enter.
              panel.show(lines(found, nil), prompt: Self.prompt, typed: code.text)
              return code.text
            }
          }
        }
      default: break
      }
    }
  }

  /// Returns the input in parts, each up to the end of a line.
  private static func parts(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.reduce(into: [[]]) { parts, byte in
      parts[parts.count - 1].append(byte)
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { parts.append([]) }
    }
  }

  private func lines(_ found: NearbyInvitations?, _ code: CodeInput?) -> [String] {
    let goesOn = code?.isBeginning == true ? [CodeInput.goesOn] : []
    return ([Self.sentence(found)] + goesOn).flatMap { WrappedText.lines($0, columns: console.size.columns - 1) }
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

  /// Prints the codes that are found first, then leaves the line to the person.
  private func readLine() async throws -> String {
    let first = try await firstFound()
    console.noteWrapped(Self.sentence(first))
    let prompt = WizardPrompt(console: console, events: events)
    var code = CodeInput()
    while true {
      let line = try await prompt.line(code.isBeginning ? CodeInput.goesOn + " Code:" : "Code:")
      if code.takes(line, leaves: true) { return code.text }
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

/// A code as it is typed: in one line, or in several if a screen has broken its long form.
struct CodeInput: Sendable {
  private(set) var text = ""

  /// Characters of a long code beside its dashes, without and with an address.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  private static let lengths = [69, 78]
  /// The characters of the QR code that a selection of the screen may include.
  private static let picture: Set<Character> = ["█", "▀", "▄"]

  /// The message while a code is incomplete.
  static let goesOn = "The code goes on: paste or type its next line, or press Enter to leave it at that."

  /// Adds a line of input, and returns whether the input so far is worth examining.
  ///
  /// With `leaves`, an empty line ends the input.
  mutating func takes(_ line: String, leaves: Bool) -> Bool {
    let rest = String(line.filter { !Self.picture.contains($0) })
    guard rest.contains(where: { !$0.isWhitespace }) else { return leaves && rest.count == line.count && !text.isEmpty }
    // A new code begins, so the earlier input is discarded.
    text = Self.compact(rest)?.hasPrefix("LK1") == true ? rest : text + rest
    return !isBeginning
  }

  /// A Boolean value that indicates whether the input is the incomplete beginning of a long code.
  var isBeginning: Bool {
    guard let symbols = Self.compact(text), symbols.hasPrefix("LK1"), let longest = Self.lengths.last else {
      return false
    }
    return text.utf8.count <= LineEditor.lineBytes && symbols.utf8.count < longest
      && !Self.lengths.contains(symbols.utf8.count)
  }

  /// Returns the symbols in capitals, without dashes and white space; `nil` if they are no code.
  private static func compact(_ text: String) -> String? {
    let symbols = text.uppercased().filter { !$0.isWhitespace && !"-\u{2010}\u{2011}\u{2013}".contains($0) }
    return symbols.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0) } ? symbols : nil
  }
}
