/// What people read of a condition.
///
/// Spec: Protocol/10-household.md §6.
extension ConditionKind {
  /// What people call the application that a condition is about.
  public struct AppWords: Hashable, Sendable, Codable {
    public var name: String
    /// The application in a command: its name, or its ID if the name may also mean another one.
    public var argument: String

    public init(name: String, argument: String) {
      self.name = name
      self.argument = argument
    }
  }

  /// Returns the sentence for a condition of a machine, and the next step.
  ///
  /// `machine` is “this machine” or the machine's name in quotation marks, `account` the account's
  /// name, or empty, and `whose` the option that names the child in the commands, such as `--child
  /// Emma`, or empty. `app` is what people call the application in the detail, where that is known.
  public func words(
    on machine: String, account: String, detail: String, whose: String = "", app: AppWords? = nil
  ) -> (sentence: String, next: String) {
    let argument = app.map { ShellWord.person($0.argument) } ?? detail
    let words = [
      "{there}": "on \(machine)", "{machine}": machine, "{account}": account.isEmpty ? "" : " \(account)",
      "{for account}": account.isEmpty ? "" : " for the account \(account)",
      "{app}": detail.isEmpty ? "an application" : "“\(app?.name ?? detail)”", "{detail}": argument,
      "{whose}": whose.isEmpty ? "" : " \(whose)",
      "{set}": Self.command(app == nil ? "" : argument, whose),
    ]
    return (Self.filled(sentence, words), Self.filled(next, words))
  }

  /// Returns the sentence of a receipt for an edit in which a machine names a condition; the
  /// machine is called “there”.
  ///
  /// An edit that names no application may be about several, as that of a group.
  public static func receiptSentence(of name: String, isOfSeveral: Bool = false) -> String {
    guard let kind = named(name) else {
      return "Something is carried out otherwise there: update Latchkey on this machine to see what."
    }
    return filled(kind.sentence, receiptWords(isOfSeveral ? "at least one of the applications" : "the application"))
  }

  /// Returns what mends a condition that a machine names in a receipt about an application; `nil`
  /// if this version does not know it.
  ///
  /// `whose` is the option that names the child or the family in the command, or empty. Without an
  /// application that a command can name, the list of the rules tells which ones are meant.
  public static func receiptNext(of name: String, app: String?, whose: String = "") -> String? {
    guard let kind = named(name) else { return nil }
    guard let app else {
      return kind.next.contains("{detail}")
        ? "`latchkey apps` shows which, and `latchkey app set --help` how to change that."
        : filled(kind.next, receiptWords(""))
    }
    var words = receiptWords("the application")
    (words["{detail}"], words["{whose}"]) = (ShellWord.person(app), whose.isEmpty ? "" : " \(whose)")
    words["{set}"] = command(ShellWord.person(app), whose)
    return filled(kind.next, words)
  }

  private static func receiptWords(_ app: String) -> [String: String] {
    [
      "{there}": "there", "{machine}": "the machine", "{account}": "", "{for account}": "", "{app}": app,
      "{detail}": "it", "{whose}": "", "{set}": command("", ""),
    ]
  }

  /// Returns the command that sets rules of an application, as far as it is known whose.
  private static func command(_ app: String, _ whose: String) -> String {
    (["latchkey app set", app] + (app.isEmpty ? [] : [whose])).filter { !$0.isEmpty }.joined(separator: " ")
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
