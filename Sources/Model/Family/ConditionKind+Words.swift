/// The sentences that people read about a condition.
///
/// Spec: Protocol/10-household.md §6.
extension ConditionKind {
  /// The name of the application that a condition is about, as people read and type it.
  public struct AppWords: Hashable, Sendable, Codable {
    public var name: String
    /// The application in a command: its name, or its ID if the name may also mean another one.
    public var argument: String

    public init(name: String, argument: String) { (self.name, self.argument) = (name, argument) }
  }

  /// Returns the English sentence for a condition of a machine, and the next step.
  ///
  /// `machine` is “this machine” or the machine's name in quotation marks. `account` is the
  /// account's name, or empty. `whose` is the option that names the child in commands, such as
  /// `--child Emma`, or empty. `app` is the application in the detail; `nil` if its name is not
  /// known. `children` are the children whom the condition is about. `isHere` says whether the
  /// machine is the reader's.
  public func words(
    on machine: String, account: String, detail: String, whose: String = "", app: AppWords? = nil,
    children: [String] = [], isHere: Bool = false
  ) -> (sentence: String, next: String) {
    let phrases = phrases(
      on: .text(machine), account: account, detail: detail, whose: whose, app: app, children: children, isHere: isHere)
    return (phrases.sentence.worded(), phrases.next.worded())
  }

  /// Returns the same as phrases; `machine` is the name of the machine.
  public func phrases(
    on machine: Phrase.Argument, account: String, detail: String, whose: String = "", app: AppWords? = nil,
    children: [String] = [], isHere: Bool = false
  ) -> (sentence: Phrase, next: Phrase) {
    let argument = app.map { ShellWord.person($0.argument) } ?? detail
    let words: [String: Phrase.Argument] = [
      "there": .phrase(Phrase("on {machine}", ["machine": machine])), "machine": machine,
      "account": .text(account.isEmpty ? "" : " \(account)"),
      "for": account.isEmpty ? "" : .phrase(Phrase(" for the account {account}", ["account": .text(account)])),
      "app": .phrase(detail.isEmpty ? Phrase("an application") : .quoted(app?.name ?? detail)),
      "detail": .text(argument), "whose": .text(whose.isEmpty ? "" : " \(whose)"),
      "set": .text(Self.command(app == nil ? "" : argument, whose)), "assign": Self.assigning(account, whose),
      "pins": Self.givingPINs(children), "here": .phrase(isHere ? Phrase("here") : Phrase("there")),
    ]
    return (Self.filled(sentence, words), Self.filled(next, words))
  }

  /// The sentence and the next step for the reader's own machine, without an account.
  public var ownWarning: String {
    let words = words(on: "this machine", account: "", detail: "", isHere: true)
    return "\(words.sentence) \(words.next)"
  }

  /// Returns the sentence of a receipt for an edit in which a machine names a condition; the
  /// machine is called “there”.
  ///
  /// An edit that names no application may be about several, as that of a group.
  public static func receiptSentence(of name: String, isOfSeveral: Bool = false) -> String {
    guard let kind = named(name) else {
      return "Something is carried out otherwise there: update Latchkey on this machine to see what."
    }
    return filled(
      kind.sentence, receiptWords(isOfSeveral ? Phrase("at least one of the applications") : Phrase("the application"))
    ).worded()
  }

  /// Returns the next step for a condition that a machine names in a receipt about an application;
  /// `nil` if this version does not know the condition.
  ///
  /// `whose` is the option that names the child or the family in the command, or empty. If no
  /// command can name the application, the next step is to list the applications.
  public static func receiptNext(of name: String, app: String?, whose: String = "") -> String? {
    guard let kind = named(name) else { return nil }
    guard let app else {
      return kind.next.text.contains("{detail}")
        ? "`latchkey apps` shows which, and `latchkey app set --help` how to change that."
        : filled(kind.next, receiptWords(Phrase(verbatim: ""))).worded()
    }
    var words = receiptWords(Phrase("the application"))
    (words["detail"], words["whose"]) = (.text(ShellWord.person(app)), .text(whose.isEmpty ? "" : " \(whose)"))
    words["set"] = .text(command(ShellWord.person(app), whose))
    return filled(kind.next, words).worded()
  }

  private static func receiptWords(_ app: Phrase) -> [String: Phrase.Argument] {
    [
      "there": .phrase(Phrase("there")), "machine": .phrase(Phrase("the machine")), "account": "", "for": "",
      "app": .phrase(app), "detail": .phrase(Phrase("it")), "whose": "", "set": .text(command("", "")),
      "assign": assigning("", ""), "pins": givingPINs([]), "here": .phrase(Phrase("there")),
    ]
  }

  /// Returns the commands that give PINs to children; without names, words for such a command.
  private static func givingPINs(_ children: [String]) -> Phrase.Argument {
    children.isEmpty
      ? .phrase(Phrase("{command} and the child's name", ["command": "`latchkey children pin`"]))
      : .list(children.map { .text("`latchkey children pin \(ShellWord.person($0))`") })
  }

  /// Returns the command that assigns an account, with words for the child if it is not known.
  private static func assigning(_ account: String, _ whose: String) -> Phrase.Argument {
    let command = "latchkey accounts assign" + (account.isEmpty ? "" : " \(account)")
    return whose.hasPrefix("--child ") && !account.isEmpty
      ? .text("`\(command) \(whose)`")
      : .phrase(Phrase("`{command}` and --child with the child's name", ["command": .text(command)]))
  }

  /// Returns the command that sets rules of an application, with the option for the child if known.
  private static func command(_ app: String, _ whose: String) -> String {
    (["latchkey app set", app] + (app.isEmpty ? [] : [whose])).filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Returns a phrase with only the arguments that it has places for.
  private static func filled(_ phrase: Phrase, _ words: [String: Phrase.Argument]) -> Phrase {
    Phrase(phrase.text, words.filter { phrase.text.contains("{\($0.key)}") })
  }
}
