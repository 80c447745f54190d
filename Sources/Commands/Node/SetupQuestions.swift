import LatchkeyModel

/// The questions of `latchkey setup`, which only a person at a terminal is asked.
struct SetupQuestions {
  let console: any Console
  let mayAsk: Bool

  private static let attempts = 5

  func role() async throws(TerminalFailure) -> DeviceRole {
    try await ask(
      "Is this a parent's or a child's machine? [parent/child] ", "Give --role parent or --role child.",
      again: "Answer parent or child."
    ) {
      let word = $0.lowercased()
      return word.isEmpty ? nil : DeviceRole.allCases.first { $0.rawValue.hasPrefix(word) }
    }
  }

  /// Returns the name of a machine, which is the suggestion if the answer is empty.
  func name(of role: DeviceRole, _ suggestion: String?) async throws(TerminalFailure) -> DeviceName {
    let example = role == .parent ? "Kitchen laptop" : "Emma's PC"
    let hint = suggestion.map { " [\($0)]" } ?? ""
    return try await ask(
      "A name for this machine, such as \(example)\(hint): ", "Give a name with --name.",
      again: "A name has 1 to 64 bytes of UTF-8, and no invisible characters."
    ) { try? DeviceName($0.isEmpty ? suggestion ?? "" : $0) }
  }

  func children() async throws(TerminalFailure) -> [DeviceName] {
    try await ask(
      "Your children's names, separated by commas (Enter for none): ", "Give each child's name with --child.",
      again: "Each name has at most 64 bytes of UTF-8, and no invisible characters."
    ) { answer in
      let names = answer.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      let children = names.compactMap { try? DeviceName(String($0)) }
      return children.count == names.count ? children : nil
    }
  }

  /// Returns the value of the rule for sessions when a child's time is over; `nil` for no rule.
  func sessions() async throws(TerminalFailure) -> String? {
    try await ask(
      "When a child's time is over, programs close after a warning. Is more to be done? [Enter for no, screen to lock the screen "
        + "too, log to log the child out] ",
      "Give it later with `latchkey settings set --sessions`.", again: "Answer screen, log, or nothing."
    ) { answer in
      let word = answer.lowercased()
      if word.isEmpty || ["n", "no", "none", "nothing"].contains(word) { return .some(nil) }
      let choices = [
        "screen": "lock", "lock": "lock", "lock the screen": "lock", "log": "close", "log out": "close",
        "logout": "close",
      ]
      return choices[word].map { .some($0) }
    }
  }

  /// Returns the name of the child whose machine it is; `nil` to say that when it is paired.
  func owner() async throws(TerminalFailure) -> DeviceName? {
    try await ask(
      "Whose machine is it? A child's name (Enter to say it when you pair): ", "Give the child's name with --child.",
      again: "Give one name of 1 to 64 bytes of UTF-8, without a comma or invisible characters."
    ) { answer in answer.isEmpty ? .some(nil) : (try? ChildName.read(answer)).map { .some($0) } }
  }

  /// Returns which of the machine's accounts are the child's, which may be none.
  func accounts(of child: DeviceName, among all: [String]) async throws(TerminalFailure) -> [String] {
    try await ask(
      "Which accounts are \(child.text)'s, separated by commas? This machine has \(all.joined(separator: ", ")) (Enter for none): ",
      "Give each account with --account.", again: "This machine has the accounts \(all.joined(separator: ", "))."
    ) { answer in
      let names = answer.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
      return names.allSatisfy(all.contains) ? names : nil
    }
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

enum ChildName {
  /// Throws `DeviceNameError`, or `TerminalFailure` for several names, which commas separate.
  static func read(_ text: String) throws -> DeviceName {
    let name = try DeviceName(text)
    guard !name.text.contains(",") else {
      throw TerminalFailure(
        .usage, "A child's name has no comma, which separates names: give one name with each --child.")
    }
    return name
  }
}
