/// One thing in full: a name and a value on each line, where a value that is longer than the
/// terminal goes on below itself.
enum FieldsText {
  /// The columns that a value has at least, however narrow the terminal is.
  private static let leastColumns = 12

  /// Returns the fields as text.
  ///
  /// - Parameters:
  ///   - fields: The names and values; the values are made safe to show here.
  ///   - indent: The columns before each name.
  ///   - width: The columns of the names; `nil` for the longest name and two spaces.
  /// - Returns: One line for each field.
  static func render(_ fields: [(name: String, value: String)], indent: Int = 0, width: Int? = nil) -> String {
    let column = indent + (width ?? 2 + (fields.map { TerminalWidth.of($0.name) }.max() ?? 0))
    let columns = max(TerminalEnvironment.current.outputColumns - column, leastColumns)
    let margin = String(repeating: " ", count: column)
    return fields.map { name, value in
      let words = WrappedText.words(ShownText.safe(value), columns: columns)
      let head = String(repeating: " ", count: indent) + name
      return head + margin.dropFirst(TerminalWidth.of(head)) + words.replacing("\n", with: "\n" + margin) + "\n"
    }.joined()
  }
}
