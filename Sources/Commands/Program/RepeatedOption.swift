import ArgumentParser
import LatchkeyModel

/// An option that is given twice, of which the parser would take the last one without a word.
enum RepeatedOption {
  /// Options of any command that may be given several times.
  private static let lists: Set = ["--matcher", "--peer", "--account"]
  /// The commands that take several children.
  private static let ofChildren: Set = ["latchkey setup", "latchkey accounts assign"]
  /// The commands that services run, to whose options a person may add others.
  private static let services: Set = ["latchkey run", "latchkey bridge"]
  /// What one value of an option holds for several days.
  private static let examples = [
    "--daily": "mon-fri 1h, sat-sun 2h", "--daily-limit": "mon-fri 1h, sat-sun 2h",
    "--hours": "mon-fri 15:00-18:00, sat-sun 9:00-19:00", "--school": "mon-fri 8:00-13:00, sat 9:00-11:00",
    "--reward": "mon-fri 16:00-18:00, sat-sun 10:00-18:00",
  ]

  /// Returns a sentence about an option with one value that is given twice; `nil` if there is none.
  static func fault(in arguments: [String]) -> String? {
    let typed = arguments.prefix { $0 != "--" }
    let options = typed.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    guard let repeated = options.first(where: { option in options.count { $0 == option } > 1 }) else { return nil }
    let (type, path) = ArgumentHint.subcommand(arguments)
    let command = path.joined(separator: " ")
    guard !lists.contains(repeated), !services.contains(command),
      repeated != "--child" || !ofChildren.contains(command), ArgumentHint.help(of: type).contains("\(repeated) <")
    else { return nil }
    let example = examples[repeated].map { " for all days together, such as \(repeated) \"\($0)\"" } ?? ""
    return "\(repeated) is given twice, and only one of them would count: give it once\(example)."
  }
}
