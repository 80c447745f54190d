import LatchkeyModel

/// Mistakes in the commands that children type, in the language of the child.
///
/// The argument parser knows only English sentences, by which the phrase for each is found here.
enum ChildsMistake {
  /// The commands that children type.
  private static let commands: Set<String> = ["ask", "me", "redeem", "refund"]

  /// What these commands find wrong themselves.
  private static let sentences: [Phrase] = [
    AskSubcommand.neither, AskSubcommand.withoutTime, RedeemSubcommand.noMinutes, RedeemSubcommand.noPoints,
    MeSubcommand.both, MeSubcommand.onPage,
  ]

  /// Returns a message in a language, with where to find help; `nil` in English, and for what is
  /// told in English alone.
  ///
  /// - Parameters:
  ///   - message: The message of the argument parser.
  ///   - arguments: The arguments of the program.
  ///   - language: The language of the child.
  /// - Returns: The message.
  static func message(_ message: String, arguments: [String], in language: Language) -> String? {
    let typed = TypedCommand(arguments)
    guard language != .english, typed.path.count == 2, commands.contains(typed.path[1]), message.hasPrefix("Error: ")
    else { return nil }
    let first = String(message.prefix { $0 != "\n" }.dropFirst("Error: ".count))
    guard let sentence = sentence(first, typed) else { return nil }
    let help = Phrase("See `{command}` for more information.", ["command": .text("latchkey \(typed.path[1]) --help")])
    let words = Phrase("Error: {sentence}", ["sentence": .phrase(sentence)])
    return "\(ShownText.worded(words, in: language))\n  \(ShownText.worded(help, in: language))"
  }

  private static func sentence(_ first: String, _ typed: TypedCommand) -> Phrase? {
    if let known = sentences.first(where: { $0.worded() == first }) { return known }
    if let match = first.wholeMatch(of: /The value '(.*)' is invalid for '<time>'.*/) {
      return AskSubcommand.noTime(String(match.output.1))
    }
    if first.hasPrefix("Missing expected argument"), typed.path[1] == "redeem" { return RedeemSubcommand.noPoints }
    if let match = first.wholeMatch(of: /Missing value for '(--[a-z-]+)[^']*'/) {
      return Phrase("A value is missing after {option}.", ["option": .text(String(match.output.1))])
    }
    if let match = first.wholeMatch(of: /Unknown option '(-[^']*)'.*/) {
      return Phrase("There is no option {option} here.", ["option": .text(String(match.output.1))])
    }
    guard first.isAboutMore, let word = first.firstMatch(of: /'([^']*)'/)?.output.1 else { return nil }
    return Phrase("{word} is one word too many here.", ["word": .phrase(.quoted(String(word)))])
  }
}
