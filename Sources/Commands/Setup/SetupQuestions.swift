import LatchkeyModel

/// The questions of `latchkey setup`, which only a person at a terminal is asked.
struct SetupQuestions {
  let console: any Console
  /// A Boolean value that indicates whether questions may be asked.
  let mayAsk: Bool

  /// The most attempts at an answer.
  private static let attempts = 5

  /// Returns whose machine it is.
  func role() async throws(TerminalFailure) -> DeviceRole {
    try await ask(
      "Is this a parent's or a child's machine? [parent/child] ", "Give --role parent or --role child.",
      again: "Answer parent or child."
    ) {
      let word = $0.lowercased()
      return word.isEmpty ? nil : DeviceRole.allCases.first { $0.rawValue.hasPrefix(word) }
    }
  }

  /// Returns the machine's name; the suggestion if the answer is empty.
  func name(_ suggestion: String?) async throws(TerminalFailure) -> DeviceName {
    let hint = suggestion.map { " [\($0)]" } ?? ""
    return try await ask(
      "A name for this machine, such as Emma's PC\(hint): ", "Give a name with --name.",
      again: "A name has 1 to 64 bytes of UTF-8, and no invisible characters."
    ) { try? DeviceName($0.isEmpty ? suggestion ?? "" : $0) }
  }

  /// Returns the names of a family's children, which may be none.
  func children() async throws(TerminalFailure) -> [DeviceName] {
    try await ask(
      "Your children's names, separated by commas (Enter for none): ", "Give each child's name with --child.",
      again: Self.namesAgain, Self.names)
  }

  /// Returns the names of the children whose machine it is; none leaves that to the parent who pairs it.
  func owners() async throws(TerminalFailure) -> [DeviceName] {
    try await ask(
      "Whose machine is it? Children's names, separated by commas (Enter to leave that to a parent): ",
      "Give each child's name with --child, or leave that to a parent with --yes.", again: Self.namesAgain, Self.names)
  }

  /// Returns which of some accounts are a child's; none leaves that to the parent who pairs the machine.
  func accounts(of child: DeviceName, among accounts: [String]) async throws(TerminalFailure) -> [String] {
    let shown = accounts.prefix(Self.most).map(ShownText.safe).joined(separator: ", ")
    return try await ask(
      "Which accounts here are \(ShownText.safe(child.text))'s? (\(shown)\(accounts.count > Self.most ? ", …" : ""), "
        + "with commas; Enter to leave that to a parent) ",
      "Give each account with --account, such as --account emma=Emma, or leave that to a parent with --yes.",
      again: "Give accounts of the list."
    ) { answer in
      let chosen = ChildNames.split(answer)
      return chosen.allSatisfy(accounts.contains) ? chosen : nil
    }
  }

  /// The most accounts that a question lists.
  private static let most = 8
  private static let namesAgain = "Each name has at most 64 bytes of UTF-8, and no invisible characters."

  private static func names(_ answer: String) -> [DeviceName]? {
    let names = ChildNames.split(answer)
    let children = names.compactMap { try? DeviceName($0) }
    return children.count == names.count ? children : nil
  }

  /// Asks until an answer can be read; throws what to give on the command line instead.
  private func ask<Value>(
    _ question: String, _ flag: String, again: String, _ read: (String) -> Value?
  ) async throws(TerminalFailure) -> Value {
    guard mayAsk else { throw TerminalFailure(.usage, flag + " Nothing is asked without a terminal, or with --yes.") }
    for _ in 0..<Self.attempts {
      console.prompt(WrappedText.words(question, columns: console.size.columns))
      guard let line = await console.readLine() else {
        console.prompt("\n")
        break
      }
      let answer = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if let value = read(answer) { return value }
      console.note(again)
    }
    throw TerminalFailure(.usage, "Nothing was set up. \(flag)")
  }
}
