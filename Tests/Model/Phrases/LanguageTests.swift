import Testing

@testable import LatchkeyModel

@Suite struct LanguageTests {
  @Test(arguments: [
    (["LANG": "de_AT.UTF-8"], "de"), (["LANG": "C.UTF-8", "LANGUAGE": "de"], "en"), ([:], "en"),
    (["LC_ALL": "", "LC_MESSAGES": "de_DE", "LANG": "en_GB"], "de"), (["LANG": "xx_YY.UTF-8"], "en"),
    (["LANG": "en_GB.UTF-8", "LANGUAGE": "xx:de"], "de"), (["LC_ALL": "C", "LANG": "de_DE"], "en"),
  ])
  func theEnvironmentNamesTheLanguage(variables: [String: String], code: String) {
    #expect(Language.asked(for: variables).code == code)
  }

  @Test(arguments: [
    ("de-AT,de;q=0.9,en;q=0.5", "de"), ("en, de", "en"), ("fr,de;q=0.3,en;q=0.2", "de"), ("de;q=0,en;q=0.1", "en"),
    ("", "en"), (";;,,q=1", "en"), ("DE", "de"), ("de;q=nan", "en"),
  ])
  func aBrowserNamesTheLanguage(header: String, code: String) { #expect(Language.asked(for: header).code == code) }

  @Test(arguments: [
    ("LANG=\"de_DE.UTF-8\"\n", "de"), ("# x\nLANG=en_GB.UTF-8\n", "en"), ("LANG=C\nLC_ALL=de_AT\n", "de"), ("", "en"),
  ])
  func aMachineNamesTheLanguage(file: String, code: String) { #expect(Language.asked(forLocale: file).code == code) }

  @Test func spansAndPointsHaveTheirFormsInEachLanguage() throws {
    let german = try #require(Language.named("de"))
    #expect(SpanText.phrase(minutes: 90).worded(in: german) == "1 Std 30 Min" && SpanText.minutes(90) == "1 h 30 min")
    #expect(SpanText.phrase(of: 86_400_000).worded(in: german) == "1 Tag" && SpanText.of(172_800_000) == "2 days")
    for (points, english, words) in [
      (1_000, "1 point", "1 Punkt"), (-1_000, "-1 point", "-1 Punkt"), (500, "0.5 points", "0,5 Punkte"),
    ]
      as [(Int64, String, String)]
    {
      #expect(PointsText.counted(points) == english && PointsText.phrase(points).worded(in: german) == words)
    }
  }

  @Test func whatALanguageLacksIsEnglish() throws {
    let german = try #require(Language.named("de"))
    #expect(Phrase("{who}", ["who": .list(["A", "B"])]).worded(in: german) == "A und B")
    #expect(Phrase("No such text, {who}", ["who": "A"]).worded(in: german) == "No such text, A")
  }

  @Test func thePseudoLanguageChangesTextsAndNoPlaces() {
    #expect(Phrase("My {one}", ["one": "Anne"]).worded(in: .pseudo) == "My Anne")
    #expect(Phrase("an {one}", ["one": "Anne"]).worded(in: .pseudo) == "ãñ Anne")
  }

  @Test func aFileIsReadAsGettextWritesIt() {
    let entries = CatalogueEntry.read(
      #"""
      # A comment
      msgid ""
      msgstr ""
      "Language: xx\n"

      #: Sources/A.swift
      #, fuzzy, python-brace-format
      msgid "one"
      msgstr "eins"

      msgid "long "
      "text \"x\"\n"
      msgid_plural "others"
      msgstr[0] "a"
      msgstr[1] "b"
      "c"

      #~ msgid "gone"
      #~ msgstr "weg"
      """#)
    #expect(
      entries == [
        CatalogueEntry(forms: ["Language: xx\n"]), CatalogueEntry(key: "one", forms: ["eins"], isFuzzy: true),
        CatalogueEntry(key: "long text \"x\"\n", forms: ["a", "bc"]),
      ])
  }

  @Test(arguments: [
    ("n != 1", [1, 0, 1, 1]), ("n > 1", [0, 0, 1, 1]), ("0", [0, 0, 0, 0]),
    ("n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2", [2, 0, 1, 2]),
  ])
  func aRuleOfPluralsIsComputed(expression: String, forms: [Int]) throws {
    let rule = try #require(PluralRule(header: "Language: xx\nPlural-Forms: nplurals=3; plural=(\(expression));\n"))
    #expect([0, 1, 2, 5].map(rule.form) == forms)
  }

  @Test(arguments: ["", "n +", "(n", "n ? 1", "system(1)", String(repeating: "(", count: 99)])
  func aRuleThatCannotBeReadIsNone(expression: String) {
    #expect(PluralRule(header: "Plural-Forms: nplurals=2; plural=\(expression);") == nil)
  }
}
