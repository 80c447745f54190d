import LatchkeyModel

extension Phrase: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    .structure(
      ["sentence": .text(), "text": .text(), "other": .text(), "count": .integer(), "arguments": ["type": "object"]],
      optional: ["other", "count", "arguments"])
  }

  static var schemaSample: Phrase { Phrase("a phrase") }
}
