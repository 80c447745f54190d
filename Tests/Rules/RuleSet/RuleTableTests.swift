import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyRules

/// The table of rules, here and in the specification.
@Suite struct RuleTableTests {
  private struct Table: Decodable {
    struct Kind: Decodable {
      let key: String
      let zones: [String]
      let words: [String]?
      let least: Int64?
      let most: Int64?
      let form: String?
      let usual: String?
      let setting: String?
      let weekdays: Bool?
    }
    let kinds: [Kind]
  }

  private let table: Table
  private let page: String

  init() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Protocol").standardized
    table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: folder.appending(path: "rule-kinds.json")))
    page = try String(contentsOf: folder.appending(path: "11-rules.md"), encoding: .utf8)
  }

  private static func zones(_ zones: RuleZones) -> [String] {
    switch zones {
    case .both: ["child", "family"]
    case .child: ["child"]
    case .family: ["family"]
    }
  }

  @Test("Protocol/rule-kinds.json has a kind for each row of the table")
  func described() throws {
    #expect(table.kinds.map(\.key) == RuleSet.kinds.map(\.pattern))
    for (kind, entry) in zip(table.kinds, RuleSet.kinds) {
      #expect(kind.zones == Self.zones(entry.zones), "\(kind.key)")
      #expect(kind.usual == entry.usual.flatMap { $0.isEmpty ? nil : $0 }, "\(kind.key)")
      #expect(kind.weekdays ?? false == entry.hasWeekdays, "\(kind.key)")
      #expect(kind.setting == entry.setting, "\(kind.key)")
      let values: RuleValues? =
        if let words = kind.words {
          .words(words)
        } else if let least = kind.least, let most = kind.most {
          .number(least...most)
        } else {
          kind.form.map { .form($0) }
        }
      #expect(values == entry.values, "\(kind.key)")
    }
  }

  @Test("Each row of the table has one in Protocol/11-rules.md, with its zones, values, default and sentence")
  func specified() throws {
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    for entry in RuleSet.kinds {
      let end = entry.pattern.split(separator: "/").last ?? ""
      let cells = try #require(
        rows.first { $0[0].contains("`\(entry.pattern)`") || $0[0].contains("`…/\(end)`") }, "\(entry.pattern)")
      let zones = [RuleZones.both: "F C", .child: "C", .family: "F"]
      #expect(cells[1] == zones[entry.zones], "\(entry.pattern)")
      #expect(cells[3] == (entry.usual.flatMap { $0.isEmpty ? nil : "`\($0)`" } ?? "–"), "\(entry.pattern)")
      #expect(!entry.hasWeekdays || cells[0].contains("`\(entry.pattern)/WEEKDAY`"), "\(entry.pattern)")
      switch entry.values {
      case .words(let words): #expect(words.allSatisfy { cells[2].contains("`\($0)`") }, "\(entry.pattern)")
      case .number(let range):
        let bounds = "\(RuleNumber.grouped(range.lowerBound)) to \(RuleNumber.grouped(range.upperBound))"
        #expect(cells[2].contains(bounds), "\(entry.pattern)")
      case .form: continue
      }
      let fault = #expect(throws: RuleFault.self) { try entry.read("?", false) }
      #expect(cells[5].contains("\"\(fault?.sentence ?? "")\""), "\(entry.pattern): \(fault?.sentence ?? "")")
    }
  }

  @Test("What a value is called, what it sets and what its removal is called are sentences without a gap")
  func words() throws {
    let app = try #require(AppID("org.gnome.Chess"))
    let day = try HouseholdSamples.day("2026-11-22")
    var keys = RuleSet.rows.map { RuleKey(.child($0)) } + RuleSet.App.rows.map { RuleKey(.app(app, $0)) }
    keys += RuleSet.Category.rows.map { RuleKey(.category(.reward, $0)) }
    keys += RuleSet.Exceptions.rows.map { RuleKey(.days(DayRange(day), $0)) }
    keys += RuleSet.Group.rows.map { RuleKey(.group(app, $0)) }
    for key in keys {
      let place = try #require(key.registerKey)
      for words in [
        RuleText.name(place), RuleText.phrase(place, nil), RuleText.childsRemoval(place), RuleText.named(place),
      ]
        + Self.samples(key.entry.values).map({ RuleText.phrase(place, $0) })
      {
        #expect(!words.isEmpty && !words.contains { "#@=".contains($0) }, "\(key): \(words)")
      }
      for text in Self.samples(key.entry.values) { #expect(try Rule(key, stored: text).text == text, "\(key)") }
    }
  }

  private static func samples(_ values: RuleValues) -> [String] {
    switch values {
    case .words(let words): words
    case .number(let range): [range.lowerBound, range.upperBound].map { String($0) }
    case .form: []
    }
  }
}
