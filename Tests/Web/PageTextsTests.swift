import LatchkeyModel
import Testing

@testable import LatchkeyWeb

@Suite struct PageTextsTests {
  @Test func aTextOfATemplateIsAPhraseWithTagsForItsPlaces() {
    #expect(
      PageTexts.worded("<p>[[{a} & \"`latchkey pair`\" {b}]]</p>{{c}}", in: .english)
        == "<p>{{a}} &amp; &quot;&#96;latchkey pair&#96;&quot; {{b}}</p>{{c}}")
    #expect(PageTexts.worded("[[no {nose}]]", in: .pseudo) == "ñõ {{nose}}")
  }

  @Test func phrasesOfDataAreWordedAndEscaped() {
    let template = PageTemplate("{{#list}}<i>{{.}}</i>{{/list}}{{#one}}{{name}}{{/one}}")
    let phrase = Phrase("on {name}", ["name": "<b>\u{301}"])
    #expect(
      template.render(["list": [phrase, Phrase("two")], "one": ["name": phrase] as PageData], in: .english)
        == "<i>on &lt;b&gt;\u{301}</i><i>two</i>on &lt;b&gt;\u{301}")
    #expect(template.render(["list": [Phrase("one")]], in: .pseudo) == "<i>õñē</i>")
  }
}
