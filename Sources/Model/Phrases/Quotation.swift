extension Phrase {
  /// Returns a name in the quotation marks of the reader's language, so that it cannot pass for
  /// words of ours.
  ///
  /// Marks in the name itself become plain ones, and what cannot be shown is left out.
  public static func quoted(_ name: String) -> Phrase {
    let inner = ["“", "”", "„"].reduce(PrintableText.of(name)) { $0.replacing($1, with: "\"") }
    return Phrase("“{name}”", ["name": .text(inner)])
  }
}

extension DeviceName {
  /// The name in English quotation marks.
  public var quoted: String { Phrase.quoted(text).worded() }

  /// The name in quotation marks for a place of a phrase.
  public var quotation: Phrase.Argument { .phrase(.quoted(text)) }
}
