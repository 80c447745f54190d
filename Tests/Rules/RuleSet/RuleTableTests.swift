import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyRules

/// The table of rules, here and in the specification.
@Suite struct RuleTableTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../../Protocol").standardized

  private let page: String

  init() throws { page = try String(contentsOf: Self.folder.appending(path: "11-rules.md"), encoding: .utf8) }

  /// The table as programs read it.
  private static var description: String {
    func list(_ words: [String]) -> String { "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
    let kinds = RuleSet.kinds.map { entry in
      let zones = [RuleZones.both: ["child", "family"], .child: ["child"], .family: ["family"]][entry.zones] ?? []
      var members = ["\"key\": \"\(entry.pattern)\"", "\"zones\": \(list(zones))"]
      switch entry.values {
      case .words(let words): members.append("\"words\": \(list(words))")
      case .number(let range): members += ["\"least\": \(range.lowerBound)", "\"most\": \(range.upperBound)"]
      case .form(let name): members.append("\"form\": \"\(name)\"")
      }
      if let usual = entry.usual, !usual.isEmpty { members.append("\"usual\": \"\(usual)\"") }
      if entry.hasWeekdays { members.append("\"weekdays\": true") }
      if let setting = entry.setting { members.append("\"setting\": \"\(setting)\"") }
      return "    {\(members.joined(separator: ", "))}"
    }
    let about =
      "the kinds of rules of 11-rules.md §1: the key, the zones of its registers, the values, the value without a rule,"
      + " and the member of FamilySettings (07 §4)"
    return "{\n  \"about\": \"\(about)\",\n  \"kinds\": [\n\(kinds.joined(separator: ",\n"))\n  ]\n}\n"
  }

  @Test("Protocol/rule-kinds.json is the table of the sources; LATCHKEY_WRITE_SNAPSHOTS=1 writes it")
  func described() throws {
    let file = Self.folder.appending(path: "rule-kinds.json")
    if ProcessInfo.processInfo.environment["LATCHKEY_WRITE_SNAPSHOTS"] == "1" {
      try Data(Self.description.utf8).write(to: file)
    }
    let kept = try String(contentsOf: file, encoding: .utf8)
    #expect(Self.description == kept, "Protocol/rule-kinds.json is not the present one")
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
