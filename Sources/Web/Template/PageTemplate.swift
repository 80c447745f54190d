import LatchkeyModel
import Mustache
import Synchronization

/// The data of a template, by name: texts, phrases, numbers, truth values, lists and groups.
typealias PageData = [String: Any]

extension PageData {
  /// Creates data of what is known: a name whose value is `nil` is left out.
  init(known values: [String: Any?]) { self = values.compactMapValues(\.self) }
}

/// A template in any language, in which `MarkupEscape` escapes every value.
///
/// Its own texts are phrases in double brackets: `[[A word for {name}]]`.
///
/// The library's own escape compares characters. Therefore a template is one text with one content
/// type. It has no partials, which use the library's escape, and no values that are not escaped.
struct PageTemplate: Sendable {
  private static let contentType: String = {
    MustacheContentTypes.register(SafeMarkup(), named: "SAFE")
    return "{{%CONTENT_TYPE:SAFE}}"
  }()

  private let text: String
  private let templates = Templates()

  /// Creates a template of HTML with the tags of Mustache for values, sections and comments.
  ///
  /// A fault in a template is a fault of this program, which every run of the tests finds.
  init(_ text: String) { self.text = text }

  /// Returns the page of some data, with commands in its texts as code, and with names isolated.
  ///
  /// A viewer that may only look gets no form that changes anything, except the one that signs out.
  func render(_ data: PageData, in language: Language) -> String {
    let page = MarkupEscape.marked(template(in: language).render(PageTexts.worded(data, in: language)))
    return data["isLooking"] as? Bool == true ? Self.withoutForms(page) : page
  }

  /// Returns a page without the forms that change something.
  ///
  /// In texts, every `<` is escaped.
  private static func withoutForms(_ page: String) -> String {
    var (kept, rest) = ("", page[...])
    while let start = rest.firstRange(of: "<form method=\"post\""),
      let end = rest[start.upperBound...].firstRange(of: "</form>")
    {
      kept += rest[..<start.lowerBound]
      if rest[start.upperBound...].hasPrefix(" action=\"/out\"") { kept += rest[start.lowerBound..<end.upperBound] }
      rest = rest[end.upperBound...]
    }
    return kept + rest
  }

  private func template(in language: Language) -> MustacheTemplate {
    templates.byLanguage.withLock { byLanguage in
      if let template = byLanguage[language] { return template }
      let text = PageTexts.worded(text, in: language)
      precondition(Self.isSafe(text), "A template has a tag that is not escaped: \(text)")
      let template: MustacheTemplate
      do { template = try MustacheTemplate(string: Self.contentType + text) } catch {
        preconditionFailure("A template is malformed: \(error)")
      }
      byLanguage[language] = template
      return template
    }
  }

  /// Returns whether all tags of a template have escaped values.
  static func isSafe(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices where scalars[index] == "{" && index + 1 < scalars.count && scalars[index + 1] == "{" {
      let next = scalars[(index + 2)...].first { !$0.properties.isWhitespace }
      if let next, ["{", "&", ">", "<", "=", "%", "$", "*"].contains(next) { return false }
    }
    return true
  }

  /// The compiled template for each language that was needed.
  private final class Templates: Sendable {
    let byLanguage = Mutex<[Language: MustacheTemplate]>([:])
  }
}

private struct SafeMarkup: MustacheContentType {
  func escapeText(_ text: String) -> String { MarkupEscape.escape(text) }
}

/// The translation of templates and data into the reader's language.
enum PageTexts {
  /// Returns a template with its texts in double brackets in a language.
  static func worded(_ template: String, in language: Language) -> String {
    let parts = split(template, at: "[[")
    return parts.dropFirst().reduce(parts.first ?? "") { all, part in
      let halves = split(part, at: "]]")
      precondition(halves.count == 2, "A text of a template does not end: \(part)")
      return all + markup(Phrase(halves[0]).worded(in: language)) + halves[1]
    }
  }

  /// Returns data in a language, with marks around texts that are written from right to left.
  static func worded(_ data: PageData, in language: Language) -> PageData { data.mapValues { value($0, language) } }

  private static func value(_ value: Any, _ language: Language) -> Any {
    switch value {
    case let phrase as Phrase: phrase.worded(in: language, showing: Isolation.marking)
    case let text as String: Isolation.marking(text)
    case let told as ToldSentence: told.worded(in: language, showing: Isolation.marking)
    case let data as PageData: worded(data, in: language)
    case let list as [Any]: list.map { Self.value($0, language) }
    default: value
    }
  }

  /// Returns a text of a template as markup, with tags in its places.
  private static func markup(_ text: String) -> String {
    split(split(MarkupEscape.escape(text), at: "{").joined(separator: "{{"), at: "}").joined(separator: "}}")
  }

  /// Returns the parts of a text around a mark.
  ///
  /// The comparison is scalar by scalar.
  private static func split(_ text: String, at mark: String) -> [String] {
    let (scalars, mark) = (Array(text.unicodeScalars), Array(mark.unicodeScalars))
    var (parts, part, index) = ([String](), String.UnicodeScalarView(), 0)
    while index < scalars.count {
      if scalars[index...].starts(with: mark) {
        parts.append(String(part))
        part.removeAll()
        index += mark.count
      } else {
        part.append(scalars[index])
        index += 1
      }
    }
    return parts + [String(part)]
  }
}

/// The frame around the content of every page.
enum PageFrame {
  static func template(_ content: String) -> PageTemplate { PageTemplate(before + content + after) }

  private static let before = """
    <!DOCTYPE html>
    <html lang="{{language}}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}} – Latchkey</title>
    <link rel="icon" href="{{assets.icon}}" type="image/svg+xml">
    <link rel="stylesheet" href="{{assets.style}}">
    <script src="{{assets.script}}" defer></script>
    {{#forward}}<meta http-equiv="refresh" content="0; url={{.}}">{{/forward}}
    {{#again}}<meta http-equiv="refresh" content="2; url={{.}}">{{/again}}
    </head>
    <body{{#isLooking}} class="looking"{{/isLooking}}>
    <a class="skip" href="#main">[[Skip to the content]]</a>
    <header>
    <p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true" class="mark"><circle cx="8" cy="12" r="5"/>\
    <path d="M13 12h9M18 12v4M22 12v3"/></svg> Latchkey</p>
    {{#hasNavigation}}
    <nav aria-label="[[Pages]]"><ul>
    {{#navigation}}
    <li><a href="{{address}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{name}}</a></li>
    {{/navigation}}</ul></nav>{{/hasNavigation}}</header>
    <main id="main" tabindex="-1">
    <p id="connection" class="word fault" role="status" hidden
    data-out="[[This page is no longer signed in: open it again from the menu, or with the command that opened it.]]"
    data-silent="[[Latchkey does not answer; this page tries again by itself.]]"
    data-over="[[The pages of Latchkey are closed: open them again from the menu, or with the command that opened them.]]"></p>
    {{#word}}<p class="word{{#isFault}} fault{{/isFault}}" role="status">{{#sentences}}{{.}} {{/sentences}}</p>{{/word}}

    """

  private static let after = """

    </main>
    {{#token}}
    <footer>
    <form method="post" action="/out"><input type="hidden" name="token" value="{{token}}">\
    <button class="quiet">[[Sign out]]</button></form>
    </footer>{{/token}}
    </body>
    </html>

    """
}
