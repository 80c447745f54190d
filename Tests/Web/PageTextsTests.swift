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

  @Test func aNameFromRightToLeftIsIsolatedWhereMarkupMayStandAndSentAsItIs() {
    let template = PageTemplate(
      """
      <title>{{line}}</title><p title="{{name}}">{{line}}</p><option>{{name}}</option><input value="{{name}}">\
      <svg><text>{{name}}</text></svg><b>{{name}}</b>{{plain}}
      """)
    let name = "\u{5D0}`\u{2069}<"
    let line = Phrase("{a} and {b} on {c}", ["a": .text(name), "b": .phrase(.quoted("\u{627}")), "c": "PC"])
    let shown = "\u{5D0}&#96;\u{FFFD}&lt;"
    #expect(
      template.render(["line": line, "name": name, "plain": "Emma\u{2068}"], in: .english)
        == "<title>&#8296;\(shown)&#8297; and “&#8296;\u{627}&#8297;” on PC</title>"
        + "<p title=\"\(shown)\"><bdi>\(shown)</bdi> and “<bdi>\u{627}</bdi>” on PC</p>"
        + "<option>\(shown)</option><input value=\"\(shown)\"><svg><text>&#8296;\(shown)&#8297;</text></svg>"
        + "<b><bdi>\(shown)</bdi></b>Emma\u{FFFD}")
  }

  @Test func twoBackticksOfNamesBreakNoElement() {
    let template = PageTemplate("<p>{{line}}</p>")
    let line = Phrase("{a}: run `x`", ["a": "\u{5D0}`\u{5D1}"])
    let page = template.render(["line": line], in: .english)
    #expect(page.matches(of: /<bdi>/).count == page.matches(of: /<\/bdi>/).count && !page.contains("<bdi>\u{5D0}<"))
  }
}
