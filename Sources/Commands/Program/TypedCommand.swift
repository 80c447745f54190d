/// A command as it was typed: the names of its subcommands from `latchkey` on, and the rest.
struct TypedCommand {
  var path: [String]
  var rest: [String]

  init(_ arguments: [String]) {
    path = ArgumentHint.subcommand(arguments).path
    rest = Array(arguments.dropFirst(path.count - 1))
  }

  init(path: [String], _ rest: [String]) { (self.path, self.rest) = (path, rest) }

  /// The rest without options; what follows an option may be its value.
  var plain: [String] {
    rest.indices.filter { !rest[$0].hasPrefix("-") && ($0 == 0 || !rest[$0 - 1].hasPrefix("--")) }.map { rest[$0] }
  }

  /// The words that name the child or the family with an option, as they were typed.
  var owner: [String] {
    if rest.contains("--family") { return ["--family"] }
    if let word = rest.first(where: { $0.hasPrefix("--child=") }) { return [word] }
    guard let index = rest.firstIndex(of: "--child"), index + 1 < rest.count else { return [] }
    return ["--child", rest[index + 1]]
  }

  /// Returns the command with another rest, as a person types it.
  func command(_ rest: [String]) -> String { "`\(TypedWord.command(path + rest))`" }
}
