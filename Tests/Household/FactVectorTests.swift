import Foundation
import LatchkeyHousehold
import LatchkeyModel
import Testing

/// Tests with the examples of Protocol/vectors/facts.json.
@Suite struct FactVectorTests {
  private struct File: Decodable {
    struct Fact: Decodable {
      let kind: String
      let text: String
      let identity: String
      let author: String
      let day: String
    }
    struct Refused: Decodable {
      let kind: String
      let text: String
      let why: String
    }
    struct Merge: Decodable {
      let kind: String
      let texts: [String]
      let kept: String
    }
    let facts: [Fact]
    let refused: [Refused]
    let merges: [Merge]
  }

  private func definition(_ kind: String) throws -> FactDefinition {
    let kind = try #require(FactKind(rawValue: kind))
    return try #require(FactRegistry.household.definition(kind))
  }

  @Test func examples() throws {
    let path = URL(filePath: #filePath).appending(path: "../../../Protocol/vectors/facts.json").standardized
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
    #expect(Set(file.facts.map(\.kind)) == Set(FactRegistry.household.kinds.map(\.kind.rawValue)))
    for fact in file.facts {
      let reading = try #require(try definition(fact.kind).read(fact.text), "\(fact.text)")
      #expect(reading.identity == fact.identity, "\(fact.text)")
      #expect(Hexadecimal.encode(reading.author.bytes) == fact.author && reading.day.description == fact.day)
    }
    for fact in file.refused { #expect(try definition(fact.kind).read(fact.text) == nil, "\(fact.why)") }
    for merge in file.merges {
      let definition = try definition(merge.kind)
      for texts in [merge.texts, merge.texts.reversed()] {
        let kept = texts.dropFirst().reduce(texts[0]) { definition.isKept($1, $0) ? $1 : $0 }
        #expect(kept == merge.kept, "\(merge.texts)")
      }
    }
  }
}
