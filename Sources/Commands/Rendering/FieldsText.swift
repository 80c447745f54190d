/// One thing in full: a name and a value a line, values that are longer than the terminal going on below themselves.
enum FieldsText {
  /// Write the fields.
  ///
  /// - Parameter indent: columns before each name.
  static func render(_ fields: [(name: String, value: String)], indent: Int = 0) -> String {
    let console = CommandEnvironment.current.console
    let column = indent + 2 + (fields.map(\.name.count).max() ?? 0)
    // A value has at least a third of a narrow terminal.
    let width = console.outputIsTerminal ? max(console.size.columns - column, console.size.columns / 3) : Int.max
    let margin = String(repeating: " ", count: column)
    return fields.map { name, value in
      let lines = WrappedText.words(ShownText.safe(value), columns: width).split(
        separator: "\n", omittingEmptySubsequences: false)
      let head = String(repeating: " ", count: indent) + name
      return head + margin.dropFirst(head.count) + lines.joined(separator: "\n" + margin) + "\n"
    }.joined()
  }
}
