import LatchkeyModel

/// The child and the time of a grant, in the order in which a person types them.
struct GrantWords {
  /// The child; `nil` for the only one.
  private(set) var child: String?
  /// The time as one word, with a hyphen for a minus sign or a dash before it.
  private(set) var time = ""
  /// The words that are neither the child nor the time.
  private var others: [String] = []
  /// A Boolean value that indicates whether all of them follow the time.
  private var isScope = false

  init(_ words: [String]) {
    let words = words.map { word in word.first.map { "−–".contains($0) } == true ? "-" + word.dropFirst() : word }
    // `90 min` and `1 h 30 min` are one time.
    let spans = words.indices.flatMap { start in (start..<words.count).map { start...$0 } }.reversed()
    guard let span = spans.filter({ Self.minutes(words[$0].joined()) != nil }).max(by: { $0.count < $1.count }) else {
      (child, others) = (words.first, Array(words.dropFirst()))
      return
    }
    time = words[span].joined()
    // The child may also follow the time.
    let rest = words[..<span.lowerBound] + words[(span.upperBound + 1)...]
    (child, others) = (rest.first, Array(rest.dropFirst()))
    isScope = span.lowerBound <= 1
  }

  var isTakenBack: Bool { time.lowercased() == "none" }

  /// The minutes: negative to take time away, and 0 if there are none.
  var minutes: Int { isTakenBack ? 0 : Self.minutes(time) ?? 0 }

  /// Returns what is wrong, with the command to type; `nil` if nothing is.
  ///
  /// - Parameters:
  ///   - options: The options that the command keeps.
  ///   - hasScope: A Boolean value that indicates whether `--for` is given.
  /// - Returns: The sentence.
  func fault(options: [String], hasScope: Bool) -> String? {
    let start = ["latchkey", "grant"] + (child.map { [$0] } ?? [])
    func command(_ rest: [String]) -> String { "`\(TypedWord.command(start + rest))`" }
    if time.isEmpty, let last = others.last ?? child, let meant = SpanReader.meant(last) {
      let child = others.isEmpty ? [] : start.dropFirst(2)
      return "“\(ShownText.safe(last))” is written differently: type "
        + "`\(TypedWord.command(["latchkey", "grant"] + child + [meant] + options))`."
    }
    if time.isEmpty { return "Say how much time, such as \(command(["30m"])), or \(command(["-30m"])) for less." }
    guard isTakenBack || (1...1_440).contains(abs(minutes)) else {
      return "A grant is for 1 minute to 24 hours: type a time such as \(command(["30m"]))."
    }
    guard !others.isEmpty else { return nil }
    let words = others.filter { $0.lowercased() != "for" }
    // A grant is for today anyway.
    if words.contains(where: { $0.lowercased() == "today" }) {
      let rest = words.filter { $0.lowercased() != "today" }
      let scope = rest.count == 1 && !hasScope ? ["--for", rest[0]] : rest
      return "A grant is for the rest of today: type \(command([time] + scope + options))."
    }
    if words.map({ $0.lowercased() }) == ["tomorrow"] {
      let owner = child.map { ["--child", $0] } ?? []
      return "A grant is for today alone. Another day is given a limit of its own: type "
        + "`\(TypedWord.command(["latchkey", "limit", "set"] + owner + ["--day", "tomorrow", "--daily", "2h"]))`."
    }
    if isScope, !hasScope, words.count == 1 {
      return "What the time is for follows --for: type \(command([time, "--for", words[0]] + options))."
    }
    let each = ([child].compactMap(\.self) + words).map { "`\(TypedWord.command(["latchkey", "grant", $0, time]))`" }
    return "Name one child and one time: type \(ShownText.list(each))."
  }

  private static func minutes(_ text: String) -> Int? {
    if text.lowercased() == "none" { return 0 }
    return text.hasPrefix("-") ? SpanReader.minutes(String(text.dropFirst())).map { -$0 } : SpanReader.minutes(text)
  }
}
