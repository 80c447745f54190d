/// The rule by which a language chooses the form of a word for a number.
///
/// It is an expression of C over `n` from the head of a file of GNU gettext (`Plural-Forms`), such
/// as `n%10==1 && n%100!=11 ? 0 : 1`.
struct PluralRule: Sendable {
  static let english = PluralRule(header: "Plural-Forms: nplurals=2; plural=(n != 1);")!

  private indirect enum Term: Sendable {
    case n
    case number(Int)
    case not(Term)
    case binary(String, Term, Term)
    case choice(Term, Term, Term)

    func value(_ n: Int) -> Int {
      switch self {
      case .n: n
      case .number(let number): number
      case .not(let term): term.value(n) == 0 ? 1 : 0
      case .choice(let condition, let yes, let no): condition.value(n) != 0 ? yes.value(n) : no.value(n)
      case .binary(let name, let left, let right): PluralRule.apply(name, left.value(n), right.value(n))
      }
    }
  }

  private let expression: Term

  /// Reads the rule in the head of a file; `nil` if it has none that can be read.
  init?(header: String) {
    guard let line = header.split(separator: "\n").first(where: { $0.hasPrefix("Plural-Forms:") }),
      let start = line.range(ofLast: "plural=")
    else { return nil }
    var reader = Reader(line[start...].prefix { $0 != ";" })
    guard let expression = reader.choice(), reader.isAtEnd else { return nil }
    self.expression = expression
  }

  func form(of count: Int) -> Int { expression.value(abs(max(count, -Int.max))) }

  private static func apply(_ name: String, _ left: Int, _ right: Int) -> Int {
    switch name {
    case "||": left != 0 || right != 0 ? 1 : 0
    case "&&": left != 0 && right != 0 ? 1 : 0
    case "==": left == right ? 1 : 0
    case "!=": left != right ? 1 : 0
    case "<=": left <= right ? 1 : 0
    case ">=": left >= right ? 1 : 0
    case "<": left < right ? 1 : 0
    case ">": left > right ? 1 : 0
    default: right == 0 ? 0 : left % right
    }
  }

  /// Reads an expression from its loosest operators down to its numbers.
  private struct Reader {
    private static let levels = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["%"]]
    /// The deepest nesting of parentheses and choices that is read.
    private static let deepest = 16

    private var rest: Substring
    private var depth = 0

    init(_ text: Substring) { rest = Substring(text.filter { $0 != " " }) }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func choice() -> Term? {
      depth += 1
      defer { depth -= 1 }
      guard depth <= Self.deepest, let condition = binary(0) else { return nil }
      guard take("?") else { return condition }
      guard let yes = choice(), take(":"), let no = choice() else { return nil }
      return .choice(condition, yes, no)
    }

    private mutating func binary(_ level: Int) -> Term? {
      guard level < Self.levels.count else { return unary() }
      guard var left = binary(level + 1) else { return nil }
      while let name = Self.levels[level].first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(name.count)
        guard let right = binary(level + 1) else { return nil }
        left = .binary(name, left, right)
      }
      return left
    }

    private mutating func unary() -> Term? {
      if take("!") { return unary().map { .not($0) } }
      if take("n") { return .n }
      if take("(") {
        guard let inner = choice(), take(")") else { return nil }
        return inner
      }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count)
      return Int(digits).map { .number($0) }
    }

    private mutating func take(_ text: String) -> Bool {
      guard rest.hasPrefix(text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
  }
}

extension Substring {
  /// Returns where the last occurrence of a text ends.
  fileprivate func range(ofLast text: String) -> Index? {
    indices.reversed().first { self[$0...].hasPrefix(text) }.map { index($0, offsetBy: text.count) }
  }
}
