/// What people read of a condition.
///
/// Spec: Protocol/10-household.md §6.
extension ConditionKind {
  /// Returns the sentence for a condition of a machine, and the next step.
  ///
  /// `machine` is “this machine” or the machine's name in quotation marks, and `account` the
  /// account's name, or empty.
  public func words(
    on machine: String, account: String, detail: String
  ) -> (sentence: String, next: String) {
    let words = [
      "{there}": "on \(machine)", "{machine}": machine, "{account}": account.isEmpty ? "" : " \(account)",
      "{for account}": account.isEmpty ? "" : " for the account \(account)",
      "{app}": detail.isEmpty ? "an application" : "“\(detail)”", "{detail}": detail,
    ]
    return (Self.filled(sentence, words), Self.filled(next, words))
  }

  /// Returns the sentence of a receipt for an edit in which a machine names a condition; the
  /// machine is called “there”.
  public static func receiptSentence(of name: String) -> String {
    guard let kind = named(name) else {
      return "Something is carried out otherwise there: update Latchkey on this machine to see what."
    }
    return filled(kind.sentence, receiptWords(app: "it"))
  }

  /// Returns what mends a condition that a machine names in a receipt about an application; `nil`
  /// if this version does not know it.
  ///
  /// Without an application that a command can name, one command stands for those of several.
  public static func receiptNext(of name: String, app: String?) -> String? {
    let word = app.map(ShellWord.person)
    return named(name).map { filled($0.next, receiptWords(app: word ?? "ID")) }
  }

  private static func receiptWords(app: String) -> [String: String] {
    [
      "{there}": "there", "{machine}": "the machine", "{account}": "", "{for account}": "", "{app}": "the application",
      "{detail}": app,
    ]
  }

  /// Returns a text with words in the place of the names in braces, in one pass: what a name stands
  /// for is not read again.
  private static func filled(_ text: String, _ words: [String: String]) -> String {
    var (result, rest) = ("", text[...])
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      result += rest[..<start]
      let name = String(rest[start...end])
      result += words[name] ?? name
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
