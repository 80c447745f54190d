import Rainbow

extension String {
  var asHeading: String { painted { $0.bold } }
  /// For what a person should look at.
  var asWarning: String { painted { $0.yellow } }

  private func painted(_ paint: (String) -> String) -> String {
    TerminalEnvironment.current.usesColour ? paint(self) : self
  }

  /// The text, wrapped at the width of the terminal; unchanged if standard output is not a
  /// terminal.
  var inWidth: String { WrappedText.words(self, columns: TerminalEnvironment.current.outputColumns) }
}
