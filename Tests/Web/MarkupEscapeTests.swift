import LatchkeyTestSupport
import Testing

@testable import LatchkeyWeb

@Suite("The escape of text on pages")
struct MarkupEscapeTests {
  @Test(
    "A quote is escaped whatever mark stands behind it",
    arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20DD}", ""])
  func combining(_ mark: String) {
    let escaped = MarkupEscape.escape("x\"\(mark) onclick='\(mark)<\(mark)script>\(mark)&\(mark)")
    for scalar in escaped.unicodeScalars { #expect(!["\"", "'", "<", ">"].contains(scalar)) }
    // A mark and the scalar before it are one character, as which they differ from that scalar.
    #expect(escaped.utf8.starts(with: "x&quot;".utf8) && escaped.unicodeScalars.contains("&"))
  }

  @Test("Controls and marks that turn the text around do not reach a page, harmless scripts do")
  func forbidden() {
    #expect(
      MarkupEscape.escape("a\0b\u{1B}\u{85}\u{202E}\u{2066}\u{FFFF}") == "a\u{FFFD}b"
        + String(repeating: "\u{FFFD}", count: 5))
    #expect(MarkupEscape.escape("Ämma 漢 👩\u{200D}👩 e\u{301}") == "Ämma 漢 👩\u{200D}👩 e\u{301}")
  }

  @Test("No hostile text brings markup")
  func hostile() {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      for scalar in MarkupEscape.escape(HostileText.text(40, &random)).unicodeScalars {
        #expect(!["\"", "'", "<", ">"].contains(scalar) && scalar.value >= 9, "\(random.note)")
      }
    }
  }

  @Test(
    "What stands between two backticks of one text is code",
    arguments: [
      ("<p>a `b` c</p>", "<p>a <code>b</code> c</p>"),
      ("<p>`a` and `b`</p>", "<p><code>a</code> and <code>b</code></p>"),
      ("<p>a ` b</p>", "<p>a &#96; b</p>"), ("<p>`a` `b</p>", "<p><code>a</code> &#96;b</p>"),
      ("<p>`a</p><p>b`</p>", "<p>&#96;a</p><p>b&#96;</p>"), ("`a`<br>`b`", "&#96;a&#96;<br><code>b</code>"),
      ("<a title=\"`a`\">`b`</a>", "<a title=\"&#96;a&#96;\"><code>b</code></a>"), ("<TITLE>`a`", "<TITLE>&#96;a&#96;"),
      ("<p>``</p>", "<p><code></code></p>"), ("", ""),
    ])
  func code(html: String, marked: String) {
    #expect(MarkupEscape.escape("`") == "&#96;")
    #expect(MarkupEscape.marked(html.replacing("`", with: "&#96;")) == marked)
  }
}
